import { useEffect, useMemo } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { createJobActions } from './actions/job-actions.ts';
import { JobLost } from './job-lost.tsx';
import { JobScreen } from './job-screen.tsx';
import { ActionsContext } from './state/actions-context.ts';
import { createJobDetail } from './state/job-detail.ts';

const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One job, whole. */
export function JobView({ id }: { readonly id: string }) {
  return JOB_ID.test(id) ? <NamedJob id={id} /> : <JobLost error={undefined} onRetry={() => {}} />;
}

/** Stays as it is from job to job, so that the focus does too. */
function NamedJob({ id }: { readonly id: string }) {
  const page = usePage();
  const detail = useMemo(() => createJobDetail(page, id), [page, id]);
  const actions = useMemo(() => createJobActions(page, detail, id), [page, detail, id]);
  useEffect(() => detail.close, [detail]);
  const { value: job } = detail.job;
  const { value: error } = detail.error;
  // What is shown stays while the bridge is unreachable. A removed job is reported as such.
  if (error !== undefined && (job === undefined || error.status === 404)) {
    return <JobLost error={error} onRetry={() => void detail.read()} />;
  }
  return (
    <ActionsContext.Provider value={actions}>
      <JobScreen id={id} job={job} summary={detail.summary.value} />
    </ActionsContext.Provider>
  );
}
