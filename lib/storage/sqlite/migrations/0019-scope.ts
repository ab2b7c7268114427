/**
 * Counts by scope, kept by the statements that change jobs: queued jobs, the bytes and reservations of all jobs, and the
 * ordinary history, where a stored image counts with the last job that came with it. `turn` is the number of the scope's
 * last claim, or the lowest turn that waited when its first job was queued; of equal turns the one whose first job was
 * queued first, `joined`, comes first. `queue.claims` numbers the claims.
 */
export const SCOPE = `
CREATE TABLE job_scope (
  scope TEXT NOT NULL PRIMARY KEY,
  queued INTEGER NOT NULL CHECK (queued >= 0),
  turn INTEGER NOT NULL DEFAULT 0,
  joined INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  ordinary_jobs INTEGER NOT NULL DEFAULT 0 CHECK (ordinary_jobs >= 0),
  ordinary_bytes INTEGER NOT NULL DEFAULT 0 CHECK (ordinary_bytes >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_scope_turns ON job_scope (turn, joined) WHERE queued > 0;
CREATE INDEX job_scope_by_jobs ON job_scope (ordinary_jobs) WHERE ordinary_jobs > 0;
CREATE INDEX job_scope_by_bytes ON job_scope (ordinary_bytes) WHERE ordinary_jobs > 0;

INSERT INTO job_scope (scope, queued, joined, held, ordinary_jobs, ordinary_bytes)
SELECT
  scope,
  count(*) FILTER (WHERE status = 'queued'),
  coalesce(min(seq) FILTER (WHERE status = 'queued'), 0),
  sum(bytes + reserved),
  count(*) FILTER (WHERE completed IS NOT NULL AND favorite = 0),
  coalesce(sum(bytes) FILTER (WHERE completed IS NOT NULL AND favorite = 0), 0)
FROM job GROUP BY scope;

UPDATE job_scope SET ordinary_bytes = ordinary_bytes + input_bytes
FROM (
  SELECT job.scope AS owner, sum(input.bytes) AS input_bytes
  FROM (SELECT max(seq) AS last, bytes FROM job_input GROUP BY sha256) AS input
  JOIN job ON job.seq = input.last
  WHERE completed IS NOT NULL AND favorite = 0
  GROUP BY job.scope
)
WHERE job_scope.scope = owner;

ALTER TABLE queue ADD COLUMN claims INTEGER NOT NULL DEFAULT 0 CHECK (claims >= 0);

DROP INDEX job_claim_order;
CREATE INDEX job_claim_order ON job (scope, priority DESC, seq) WHERE status = 'queued';
CREATE INDEX job_history_of_scope ON job (scope, completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;
`;
