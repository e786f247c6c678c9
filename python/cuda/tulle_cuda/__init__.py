# SPDX-License-Identifier: Apache-2.0
"""The part of tulle that runs on NVIDIA GPUs: the library in the folder lib, which the package tulle loads."""
