-- SPDX-License-Identifier: Apache-2.0
-- A sweep that was renamed keeps the folder of its runs, which is called after its first name.
ALTER TABLE sweeps ADD COLUMN folder TEXT;
