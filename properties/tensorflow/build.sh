#!/bin/sh
# build.sh [WORKDIR [VERSION...]] : fetches real TensorFlow wheels from PyPI and builds WORKDIR/bin/oracle_place_VERSION for each.
# Needs g++ 12 (or another recent g++), binutils with ld.gold, python3 with pip, unzip. Default WORKDIR build/tensorflow, all versions.
# TF215=DIR names an already installed tensorflow 2.15.1 package folder and saves its download.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/../../build/tensorflow}
[ $# -gt 0 ] && shift
versions=${*:-2.15.1 1.15.0 1.12.0 0.12.0}
mkdir -p "$work/wheels" "$work/x" "$work/package" "$work/bin"

fetch() {  # package version python abi platform
  [ -d "$work/x/$1-$2" ] && return
  ls "$work/wheels/$(echo "$1" | tr - _)-$2"-*.whl >/dev/null 2>&1 ||
    python3 -m pip download -q --no-deps --only-binary=:all: --python-version "$3" --implementation cp --abi "$4" --platform $5 \
      -d "$work/wheels" "$1==$2"
  mkdir -p "$work/x/$1-$2"
  (cd "$work/x/$1-$2" && unzip -q -o "$work"/wheels/"$(echo "$1" | tr - _)-$2"-*.whl)
}

compile() {  # version TFV standard ... flags and libraries
  v=$1; tfv=$2; std=$3; shift 3
  nice g++ -std=$std -O2 -w -fPIC -DTFV=$tfv -DNDEBUG "$@" "$here"/*.cc -o "$work/bin/oracle_place_$v.new" \
    -Wl,--no-as-needed -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags $libs -lpthread
  mv "$work/bin/oracle_place_$v.new" "$work/bin/oracle_place_$v"
  echo "built $work/bin/oracle_place_$v"
}

old_abi="-D_GLIBCXX_USE_CXX11_ABI=0 -fuse-ld=gold"
for v in $versions; do
  r=$work/package/$v; s=$work/missing/$v
  case $v in
    2.15.1)
      if [ -n "${TF215:-}" ]; then ln -sfn "$TF215" "$r"; else
        fetch tensorflow 2.15.1 3.11 cp311 manylinux_2_17_x86_64; ln -sfn "$work/x/tensorflow-2.15.1/tensorflow" "$r"; fi
      libs="-L$r -l:libtensorflow_framework.so.2 -l:libtensorflow_cc.so.2 -Wl,-rpath,$r"
      compile $v 215 c++17 -DPLUGGABLE -D_GLIBCXX_USE_CXX11_ABI=1 -I"$r/include" ;;
    1.15.0)
      fetch tensorflow 1.15.0 3.6 cp36m manylinux2010_x86_64
      ln -sfn "$work/x/tensorflow-1.15.0/tensorflow_core" "$r"
      python3 "$here/missing_libraries.py" "$s" "$r/libtensorflow_framework.so.1" "$r/python/_pywrap_tensorflow_internal.so" > /dev/null
      libs="-L$r -l:libtensorflow_framework.so.1 -L$r/python -l:_pywrap_tensorflow_internal.so -L$s -l:libpython_missing.so -Wl,-rpath,$r:$r/python:$s"
      compile $v 115 c++11 $old_abi -I"$r/include" -I"$work/x/tensorflow-1.15.0/tensorflow-1.15.0.data/purelib/tensorflow_core/include" ;;
    1.12.0)
      fetch tensorflow_gpu 1.12.0 3.6 cp36m manylinux1_x86_64
      ln -sfn "$work/x/tensorflow_gpu-1.12.0/tensorflow_gpu-1.12.0.data/purelib/tensorflow" "$r"
      python3 "$here/missing_libraries.py" "$s" "$r/libtensorflow_framework.so" "$r/python/_pywrap_tensorflow_internal.so" > /dev/null
      "$here/old_libstdcxx.sh" "$work/overlay"
      libs="-L$r -l:libtensorflow_framework.so -L$r/python -l:_pywrap_tensorflow_internal.so -L$s -l:libpython_missing.so -Wl,-rpath,$r:$r/python:$s"
      compile $v 112 c++11 $old_abi -I"$work/overlay" -I"$r/include" -I"$r/include/external/protobuf_archive/src" ;;
    0.12.0)
      fetch tensorflow_gpu 0.12.0 3.5 cp35m manylinux1_x86_64
      ln -sfn "$work/x/tensorflow_gpu-0.12.0/tensorflow_gpu-0.12.0.data/purelib/tensorflow" "$r"
      python3 "$here/missing_libraries.py" "$s" "$r/python/_pywrap_tensorflow.so" > /dev/null
      "$here/old_libstdcxx.sh" "$work/overlay"
      libs="-L$r/python -l:_pywrap_tensorflow.so -L$s -l:libpython_missing.so -Wl,-rpath,$r/python:$s"
      compile $v 12 c++11 $old_abi -I"$work/overlay" -I"$r/include" ;;
    1.13.1|1.14.0|2.0.0)  # CPU-only wheels, used to date changes
      plat=manylinux1_x86_64; [ $v = 2.0.0 ] && plat=manylinux2010_x86_64
      fetch tensorflow $v 3.6 cp36m $plat
      x=$work/x/tensorflow-$v
      fw=$(find "$x" -name 'libtensorflow_framework.so*' | head -1)
      ln -sfn "$(dirname "$fw")" "$r"
      python3 "$here/missing_libraries.py" "$s" "$fw" "$r/python/_pywrap_tensorflow_internal.so" > /dev/null
      "$here/old_libstdcxx.sh" "$work/overlay"
      libs="-L$r -l:$(basename "$fw") -L$r/python -l:_pywrap_tensorflow_internal.so -L$s -l:libpython_missing.so -Wl,-rpath,$r:$r/python:$s"
      flags="$old_abi"; [ $v = 2.0.0 ] || flags="$flags -I$work/overlay"
      for i in $(find "$x" -type d -name include -path '*tensorflow*'); do flags="$flags -I$i"; done
      compile $v $(echo $v | awk -F. '{print $1 * 100 + $2}') c++11 $flags ;;
    cpu-*)  # any other 2.x release, from its CPU-only wheel: enough for the test ops
      n=${v#cpu-}; minor=$(echo "$n" | cut -d. -f2)
      case $minor in 0|1|2|3) py=3.7 abi=cp37m ;; 4|5) py=3.8 abi=cp38 ;; 6|7) py=3.9 abi=cp39 ;; *) py=3.10 abi=cp310 ;; esac
      fetch tensorflow_cpu "$n" $py $abi "manylinux2010_x86_64 --platform manylinux_2_12_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64"
      x=$work/x/tensorflow_cpu-$n
      ln -sfn "$(dirname "$(find "$x" -name 'libtensorflow_framework.so.2' | head -1)")" "$r"
      internal=$r/python/_pywrap_tensorflow_internal.so
      python3 "$here/missing_libraries.py" "$s" "$r/libtensorflow_framework.so.2" "$internal" > /dev/null
      cc=; [ -e "$r/libtensorflow_cc.so.2" ] && cc="-l:libtensorflow_cc.so.2"
      libs="-L$r -l:libtensorflow_framework.so.2 $cc -L$r/python -l:_pywrap_tensorflow_internal.so -L$s -l:libpython_missing.so -Wl,-rpath,$r:$r/python:$s"
      std=c++14; [ "$minor" -ge 10 ] && std=c++17
      flags="-D_GLIBCXX_USE_CXX11_ABI=$([ "$minor" -ge 9 ] && echo 1 || echo 0)"
      for i in $(find "$x" -type d -name include -path '*tensorflow*'); do flags="$flags -I$i"; done
      grep -qs "bool is_pluggable_device" $(find "$x" -name device_factory.h) && flags="$flags -DPLUGGABLE"
      compile $v $((200 + minor)) $std $flags -fuse-ld=gold ;;
    *) echo "no recipe for $v" >&2; exit 2 ;;
  esac
done
