import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../api/schemas.ts';
import { usePage } from '../../page-context.ts';

/** Reads a job once, and again when the bridge is reachable again. Returns undefined until the job has been read. */
export function useReadJob(id: string | undefined): Job | undefined {
  const { jobs, connection } = usePage();
  const [job, setJob] = useState<Job | undefined>(undefined);
  const { value: returns } = connection.returns;
  useEffect(() => {
    setJob((known) => (known?.id === id ? known : undefined));
    if (id === undefined) return;
    const controller = new AbortController();
    jobs.read(id, controller.signal).then(setJob, () => {
      // The job does not exist or cannot be read at the moment, so the view is shown without it.
    });
    return () => controller.abort();
  }, [jobs, id, returns]);
  return job?.id === id ? job : undefined;
}
