/** Returns the step that adds costs and budgets. The columns have the same meaning as in the SQLite migration `MONEY`. */
export function moneySchema(schema: string): string {
  return `
-- Amounts are in 10^-10 US dollars.
CREATE TABLE ${schema}.spending (
  token text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (token, period)
);
ALTER TABLE ${schema}.usage
  ADD COLUMN cost bigint NOT NULL DEFAULT 0 CHECK (cost >= 0),
  ADD COLUMN basis integer NOT NULL DEFAULT 0 CHECK (basis BETWEEN 0 AND 3),
  ADD COLUMN unpriced bigint NOT NULL DEFAULT 0 CHECK (unpriced >= 0);
UPDATE ${schema}.usage SET basis = 3, unpriced = images + unknown WHERE images + unknown > 0;
ALTER TABLE ${schema}.ledger
  ADD COLUMN held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  ADD COLUMN budget_per_day bigint CHECK (budget_per_day >= 0),
  ADD COLUMN budget_per_month bigint CHECK (budget_per_month >= 0);
ALTER TABLE ${schema}.job_content
  ADD COLUMN held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  ADD COLUMN budget_per_day bigint CHECK (budget_per_day >= 0),
  ADD COLUMN budget_per_month bigint CHECK (budget_per_month >= 0);
`;
}
