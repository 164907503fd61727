// The target that precompiles pch.h needs a source.
