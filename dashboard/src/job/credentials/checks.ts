import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, ApiError, unwrap } from '../../api/api.ts';
import type { ArtifactCredentials } from '../../api/schemas.ts';
import { createScope } from '../../page-context.ts';

/** The state of the check of one image. */
export type Check =
  | { readonly state: 'unasked' }
  | { readonly state: 'checking' }
  | { readonly state: 'checked'; readonly report: ArtifactCredentials }
  | { readonly state: 'failed'; readonly error: ApiError };

type Checks = ReturnType<typeof createChecks>;

/** Checks the Content Credentials of images on request. The bridge validates the file at every check. */
export function createChecks(api: Api) {
  const checks = new Map<string, Signal<Check>>();

  function find(id: string): Signal<Check> {
    const check = checks.get(id) ?? signal<Check>({ state: 'unasked' });
    checks.set(id, check);
    return check;
  }

  return {
    get: (id: string): ReadonlySignal<Check> => find(id),

    /** Checks an image, unless its check is in progress or has a result. */
    async check(id: string): Promise<void> {
      const check = find(id);
      const { state } = check.peek();
      if (state === 'checking' || state === 'checked') return;
      check.value = { state: 'checking' };
      try {
        const path = { id };
        const report = await unwrap(
          api.GET('/v1/artifacts/{id}/credentials', { params: { path } }),
        );
        check.value = { state: 'checked', report };
      } catch (error) {
        check.value = { state: 'failed', error: ApiError.of(error) };
      }
    },
  };
}

/** Provides the checks of the images in view. */
export const [ChecksProvider, useChecks] = createScope<Checks>('the checks');
