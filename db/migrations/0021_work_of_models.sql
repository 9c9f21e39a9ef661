-- SPDX-License-Identifier: Apache-2.0
-- What the shape of a model does not say: the parameters that a token meets where there are experts,
-- and the work of models whose heads do not make up the hidden size.
ALTER TABLE points ADD COLUMN active_params INTEGER;
ALTER TABLE points ADD COLUMN token_weights INTEGER;
ALTER TABLE points ADD COLUMN attention_widths INTEGER;
