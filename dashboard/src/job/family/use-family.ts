import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { joined, unwrap } from '../../api/api.ts';
import type { Family } from '../../api/schemas.ts';
import type { JobChange } from '../../jobs/jobs.ts';
import type { Page } from '../../page.ts';
import { usePage } from '../../page-context.ts';

/** The shortest time in milliseconds between a change of the jobs and the next read of the family. */
const PAUSE_MS = 500;

/** Watches the family of a job. The last family stays known while its next job is opened. */
function watchFamily({ api, jobs, connection }: Page) {
  const family = signal<Family | undefined>(undefined);
  let id: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = joined(async () => {
    const asked = id;
    if (asked === undefined) return;
    try {
      const path = { id: asked };
      const found = await unwrap(api.GET('/v1/jobs/{id}/family', { params: { path } }));
      if (id === asked) family.value = found;
    } catch {
      // The known family stays. It is read again when a job changes or the bridge is reachable again.
    }
    if (id !== asked) readSoon();
  });

  function readSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void read();
    }, PAUSE_MS);
  }

  /** The running jobs outside the family that have been considered already. */
  const strangers = new Set<string>();

  /** Returns true if a change of the jobs may change the family. The progress of a running job does not. */
  function concerns(change: JobChange): boolean {
    const isMember = (id: string) => family.peek()?.items.some((each) => each.id === id) === true;
    if (change.kind === 'removed') return isMember(change.id);
    const { id, status, inputs } = change.job;
    if (status !== 'running') {
      strangers.delete(id);
      return inputs > 0 || isMember(id);
    }
    // The first change that the page sees of a new relative may be its start.
    if (inputs === 0 || isMember(id) || strangers.has(id)) return false;
    strangers.add(id);
    return true;
  }

  return {
    family,
    open(next: string): void {
      id = next;
      if (!family.peek()?.items.some((each) => each.id === next)) family.value = undefined;
      void read();
    },
    start(): () => void {
      const unsubscribe = jobs.subscribe((change) => concerns(change) && readSoon());
      const stop = connection.returns.subscribe(() => void read());
      return () => {
        unsubscribe();
        stop();
        clearTimeout(timer);
        timer = undefined;
        id = undefined;
      };
    },
  };
}

/** Returns the family of a job. Undefined until the family has been read. */
export function useFamily(id: string): Family | undefined {
  const page = usePage();
  const watched = useMemo(() => watchFamily(page), [page]);
  useEffect(() => watched.start(), [watched]);
  useEffect(() => watched.open(id), [watched, id]);
  return watched.family.value;
}
