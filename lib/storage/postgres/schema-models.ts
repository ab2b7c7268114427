/**
 * Returns the step that adds the usage of models. The columns have the same meaning as in the SQLite migration `MODELS`. A replica of
 * an earlier version adds only to "usage". The column of "ledger_row" is not called "model", because earlier versions select the
 * column "model" of "ledger_ticket" from both tables.
 */
export function modelsSchema(schema: string): string {
  return `
CREATE TABLE ${schema}.usage_model (
  token text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  images bigint NOT NULL CHECK (images >= 0),
  lost bigint NOT NULL CHECK (lost BETWEEN 0 AND images),
  unknown bigint NOT NULL CHECK (unknown >= 0),
  failed bigint NOT NULL CHECK (failed >= 0),
  tokens bigint CHECK (tokens >= 0),
  cost bigint NOT NULL CHECK (cost >= 0),
  basis integer NOT NULL CHECK (basis BETWEEN 0 AND 3),
  unpriced bigint NOT NULL CHECK (unpriced >= 0),
  PRIMARY KEY (token, day, provider, model)
) WITH (fillfactor = 50);
CREATE INDEX usage_of_day ON ${schema}.usage (day);
CREATE INDEX usage_model_of_day ON ${schema}.usage_model (day);
ALTER TABLE ${schema}.ledger_row ADD COLUMN model_name text COLLATE "C";
ALTER TABLE ${schema}.billed_call ADD COLUMN model text COLLATE "C";
`;
}
