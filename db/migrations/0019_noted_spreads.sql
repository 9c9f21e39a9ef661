-- SPDX-License-Identifier: Apache-2.0
-- What a person wrote behind the "±" of a time that was noted by hand.
ALTER TABLE runs ADD COLUMN noted_spread_ms REAL;
