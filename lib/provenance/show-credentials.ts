import type { OutputFormat } from '../contract/request/parameters.ts';
import type { Clock } from '../platform/clock.ts';
import { createCredentialThread } from './credential-thread.ts';
import type { CredentialReport } from './manifest-report.ts';
import { readTrustAnchors } from './signing-files.ts';

/** Maximum time to validate one file of the user, who can interrupt the command. */
const TIMEOUT_MS = 60_000;

/**
 * Validates the credentials of one image. `anchorsFile` is the path of the certificates that make a signer trusted. Throws
 * `configuration` if that file is unusable. Resolves with undefined if the validation failed or took more than a minute.
 */
export async function readCredentials(
  image: { readonly bytes: Uint8Array; readonly format: OutputFormat },
  anchorsFile: string | undefined,
  clock: Pick<Clock, 'after'>,
): Promise<CredentialReport | undefined> {
  const anchors =
    anchorsFile === undefined ? undefined : readTrustAnchors(anchorsFile, '--trust-anchors');
  const thread = createCredentialThread({
    clock,
    timeoutMs: TIMEOUT_MS,
    trustAnchors: () => anchors,
  });
  try {
    const outcome = await thread.run({ kind: 'validate', image }, new AbortController().signal);
    return outcome.ok ? outcome.result : undefined;
  } finally {
    await thread.close();
  }
}
