// Ops that do nothing to data: they hand on a buffer, keep a handle, read a shape, order others, or wait.

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

constexpr WorkRow kNoRows[] = {
    {"Const"}, {"Placeholder"}, {"PlaceholderV2"}, {"PlaceholderWithDefault"}, {"NoOp"}, {"ControlTrigger"}, {"Assert"}, {"_Arg"}, {"_Retval"},
    {"Identity"}, {"IdentityN"}, {"RefIdentity"}, {"StopGradient"}, {"PreventGradient"}, {"CheckNumerics"}, {"Snapshot"},
    {"Reshape"}, {"Squeeze"}, {"ExpandDims"}, {"Bitcast"}, {"Shape"}, {"ShapeN"}, {"Size"}, {"Rank"}, {"BroadcastGradientArgs"}, {"ConcatOffset"}, {"Range"},
    {"Switch"}, {"RefSwitch"}, {"Merge"}, {"RefMerge"}, {"Enter"}, {"RefEnter"}, {"Exit"}, {"RefExit"}, {"NextIteration"}, {"RefNextIteration"}, {"LoopCond"},
    {"Variable"}, {"VariableV2"}, {"VarHandleOp"}, {"ReadVariableOp"}, {"IsVariableInitialized"}, {"VarIsInitializedOp"}, {"DisableCopyOnRead"}, {"AssignVariableOp"},
    {"_HostSend"}, {"_HostRecv"},
    {"TensorArrayV3"}, {"TensorArrayGradV3"}, {"TensorArrayReadV3"}, {"TensorArrayWriteV3"}, {"TensorArraySizeV3"}, {"TensorArrayCloseV3"},
    {"StackV2"}, {"StackPushV2"}, {"StackPopV2"}, {"StackCloseV2"},
    {"FIFOQueueV2"}, {"RandomShuffleQueueV2"}, {"PaddingFIFOQueueV2"}, {"PriorityQueueV2"}, {"QueueEnqueueV2"}, {"QueueEnqueueManyV2"}, {"QueueDequeueV2"}, {"QueueDequeueManyV2"},
    {"QueueCloseV2"}, {"QueueSizeV2"}, {"QueueIsClosedV2"}, {"Barrier"},
    {"ConditionalAccumulator"}, {"ResourceConditionalAccumulator"}, {"SparseConditionalAccumulator"}, {"AccumulatorSetGlobalStep"}, {"ResourceAccumulatorSetGlobalStep"},
    {"AccumulatorTakeGradient"}, {"ResourceAccumulatorTakeGradient"}, {"SparseAccumulatorTakeGradient"}, {"SparseAccumulatorApplyGradient"},
    {"AccumulatorNumAccumulated"}, {"ResourceAccumulatorNumAccumulated"},
};

}  // namespace

WorkFamily no_work() { return kNoRows; }

}  // namespace tarry
