/**
 * A queued job has no account: its charge is that of its `outputs` on `day`, within `allowance` as it was then. Both columns
 * are empty for jobs that were claimed before this schema. The account begins when the job is claimed.
 */
export const QUEUED_CHARGE = `
ALTER TABLE job_content ADD COLUMN day INTEGER;
ALTER TABLE job_content ADD COLUMN allowance INTEGER CHECK (allowance >= 0);

UPDATE job_content SET day = ledger.day, allowance = ledger.allowance
FROM job JOIN ledger ON ledger.id = job.id
WHERE job.seq = job_content.seq AND job.status = 'queued';

DELETE FROM ledger WHERE id IN (SELECT id FROM job WHERE status = 'queued');
`;
