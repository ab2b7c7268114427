/**
 * The accounts of requests and jobs that have not ended. `ledger` has one row for each of them, under the id of the job or one
 * of its own. A job has no owner here, because its account ends with the job. The row has the token and the day, how many
 * outputs its current route asks for, how many of them are in `charge`, and the allowance of the day. `ledger_row` has one row for each output of each
 * provider call that may have been sent. What has ended is in `usage`, where every output that is paid for is in `images`.
 *
 * Jobs that were running may have sent all of their calls. The store itself charges a job from now on.
 */
export const LEDGER = `
CREATE TABLE ledger (
  id TEXT NOT NULL PRIMARY KEY,
  owner TEXT,
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  outputs INTEGER NOT NULL CHECK (outputs >= 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  allowance INTEGER CHECK (allowance >= 0),
  renewals INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_row (
  ledger TEXT NOT NULL REFERENCES ledger (id) ON DELETE CASCADE,
  call INTEGER NOT NULL CHECK (call >= 0),
  output INTEGER NOT NULL CHECK (output >= 0),
  provider TEXT NOT NULL,
  PRIMARY KEY (ledger, call, output)
) STRICT, WITHOUT ROWID;

ALTER TABLE usage ADD COLUMN unknown INTEGER NOT NULL DEFAULT 0 CHECK (unknown >= 0);
ALTER TABLE usage ADD COLUMN lost INTEGER NOT NULL DEFAULT 0 CHECK (lost BETWEEN 0 AND images);

DROP TRIGGER job_is_charged;
DROP TRIGGER job_is_not_charged;

INSERT INTO ledger
SELECT id, NULL, token, created / 86400, outputs, outputs, NULL, 0 FROM job WHERE completed IS NULL;

INSERT INTO ledger_row
WITH RECURSIVE asked (id, output, outputs, provider) AS (
  SELECT id, 0, outputs, provider FROM job WHERE status = 'running' AND outputs > 0
  UNION ALL
  SELECT id, output + 1, outputs, provider FROM asked WHERE output + 1 < outputs
)
SELECT id, 0, output, provider FROM asked;
`;
