// The stand-in's whole runtime is in one header.
#pragma once
#include "cuda_runtime_api.h"
