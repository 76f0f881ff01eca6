// The recorded op and kernel registries of TensorFlow 2.15.1 (data/README.md), as bytes in the program.
    .section .rodata
    .global tarry_ops_data, tarry_ops_data_end, tarry_kernels_data, tarry_kernels_data_end
tarry_ops_data:
    .incbin "ops_tf215.pb.zst"
tarry_ops_data_end:
tarry_kernels_data:
    .incbin "kernels_tf215.pb.zst"
tarry_kernels_data_end:
    .section .note.GNU-stack,"",@progbits
