-- SPDX-License-Identifier: Apache-2.0
-- The bandwidth of two readings could not be compared where they had been taken by different
-- libraries, and nothing said which: NCCL, an MPI, or copies through the processor's memory.

ALTER TABLE canary_readings ADD COLUMN library TEXT;
