import type { Config } from '../config/settings/settings.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { checkContainer } from '../images/container/containers.ts';
import {
  type CheckedImage,
  type EncodedImage,
  type ImageLimits,
  withBytes,
} from '../images/image.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { CredentialFailure, Metrics } from '../metrics/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { createReloadedFiles } from '../platform/reloaded-files.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createCredentialThread } from './credential-thread.ts';
import { type Claim, toManifestDefinition } from './manifest-definition.ts';
import type { CredentialReport } from './manifest-report.ts';
import { isOnlyInserted } from './signed-copy.ts';
import { readSigningFiles, readTrustAnchors, type SigningIdentity } from './signing-files.ts';

interface Deps {
  readonly settings: Config['provenance'];
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly metrics: Pick<Metrics, 'signed' | 'credentialsFailed'>;
  readonly newId: () => string;
  /** Version of the bridge, which signs as `image-bridge`. */
  readonly version: string;
}

/** The signed image, or the reason why the image was not signed. */
export type Signing =
  | { readonly ok: true; readonly image: CheckedImage }
  | { readonly ok: false; readonly failure: CredentialFailure };

export type Credentials = ReturnType<typeof openCredentials>;

/**
 * Opens the certificates and the key of the settings, and creates the functions that validate and sign images. The thread starts
 * with the first image. Throws `configuration` if a file is unusable.
 */
export function openCredentials(deps: Deps) {
  const { settings, clock, metrics, newId, version } = deps;
  const anchors = openAnchors(deps);
  const identity = openIdentity(deps);
  const thread = createCredentialThread({
    clock,
    timeoutMs: settings.timeout_ms,
    trustAnchors: () => anchors?.current(),
  });

  /** Validates the credentials of an image. Resolves with undefined if the validation failed. */
  async function validate(
    image: { readonly bytes: Uint8Array; readonly format: OutputFormat },
    signal: AbortSignal,
  ): Promise<CredentialReport | undefined> {
    const outcome = await thread.run({ kind: 'validate', image }, signal);
    if (outcome.ok) return outcome.result;
    metrics.credentialsFailed(outcome.failure);
    return undefined;
  }

  async function signedBytes(
    key: SigningIdentity,
    image: EncodedImage,
    claim: Claim,
    signal: AbortSignal,
  ): Promise<Buffer | CredentialFailure> {
    if (key.validUntilMs <= clock.nowMs()) return 'expired';
    const manifest = toManifestDefinition(claim, { name: 'image-bridge', version }, newId);
    const { bytes, format } = image;
    const task = { kind: 'sign', image: { bytes, format }, ...manifest, key } as const;
    const outcome = await thread.run(task, signal);
    if (!outcome.ok) return outcome.failure;
    return outcome.result === undefined ? 'refused' : Buffer.from(outcome.result);
  }

  return {
    validate,

    /**
     * Signs an image that has no credentials. Resolves with the reason if the image was not signed, because no failure of this
     * step may lose an image. Rejects only with the reason of the signal.
     */
    async sign(image: CheckedImage, claim: Claim, signal: AbortSignal): Promise<Signing> {
      if (identity === undefined) return { ok: false, failure: 'refused' };
      const startMs = clock.monotonicMs();
      const bytes = await signedBytes(identity.current(), image, claim, signal);
      metrics.signed({ durationMs: clock.monotonicMs() - startMs });
      const signed = Buffer.isBuffer(bytes) ? await checkedCopy(deps, image, bytes, signal) : bytes;
      if (typeof signed !== 'string') return { ok: true, image: signed };
      metrics.credentialsFailed(signed);
      return { ok: false, failure: signed };
    },

    /** True if images that are not marked as generated are marked. */
    marks: settings.mark === 'missing',

    /** True if the credentials of provider images are validated. */
    validates: identity !== undefined || settings.check === 'validate',

    /** Maximum size of credentials that are validated, in bytes. */
    maxManifestBytes: settings.max_manifest_bytes,

    /** The images that are signed. Undefined if the settings name no certificates. */
    scope: identity === undefined ? undefined : settings.signing.scope,

    /**
     * Returns the time at which the first certificate expires, in milliseconds since the Unix epoch, or undefined if the bridge does
     * not sign.
     */
    validUntilMs: () => identity?.current().validUntilMs,

    close: thread.close,
  };
}

function openIdentity({ settings, clock, log }: Deps) {
  const { certificate_file, key_file } = settings.signing;
  if (certificate_file === undefined || key_file === undefined) return undefined;
  return createReloadedFiles({
    paths: [certificate_file, key_file],
    read: () => readSigningFiles({ certificate_file, key_file }, clock.nowMs()),
    clock,
    onUnusable: reportTo(log, 'the changed certificate or key of provenance.signing is unusable'),
  });
}

function openAnchors({ settings: { trust_anchors_file: path }, clock, log }: Deps) {
  if (path === undefined) return undefined;
  return createReloadedFiles({
    paths: [path],
    read: () => readTrustAnchors(path),
    clock,
    onUnusable: reportTo(log, 'the changed file of provenance.trust_anchors_file is unusable'),
  });
}

function reportTo(log: Deps['log'], message: string) {
  return (cause: unknown) =>
    log.failure(new BridgeError('internal', message, { cause }), { task: 'credentials' });
}

/** Checks the container of a signed image, and that signing changed no other byte. Does not decode the pixels again. */
async function checkedCopy(
  { limits, slices }: Deps,
  unsigned: CheckedImage,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<CheckedImage | 'altered'> {
  const { format } = unsigned;
  const container = await slices.run(checkContainer(bytes, limits), signal);
  if (!container.ok || container.format !== format) return 'altered';
  if (!isOnlyInserted(unsigned.bytes, bytes, format)) return 'altered';
  return withBytes(unsigned, bytes);
}
