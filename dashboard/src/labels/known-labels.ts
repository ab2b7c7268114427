import { useEffect, useState } from 'preact/hooks';
import { unwrap } from '../api/api.ts';
import { usePage } from '../page-context.ts';

/** A label with the number of its jobs that are not hidden. */
export interface KnownLabel {
  readonly label: string;
  readonly count: number;
}

/**
 * Reads the labels of all jobs, the most used label first, and reads them again when `since` changes. Undefined until the labels have
 * been read, and empty after a failure.
 */
export function useKnownLabels(since?: object): readonly KnownLabel[] | undefined {
  const { api } = usePage();
  const [known, setKnown] = useState<readonly KnownLabel[]>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    unwrap(api.GET('/v1/jobs/labels', { signal })).then(
      ({ items }) => setKnown(items),
      () => signal.aborted || setKnown([]),
    );
    return () => controller.abort();
  }, [api, since]);
  return known;
}
