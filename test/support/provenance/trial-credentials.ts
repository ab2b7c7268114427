import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { type CredentialFailure, silentMetrics } from '../../../lib/metrics/metrics.ts';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openCredentials } from '../../../lib/provenance/credentials.ts';
import { slices } from '../slices.ts';
import { type CertificateOptions, trialCertificates, writeCertificates } from './certificates.ts';

interface Options {
  readonly certificates?: CertificateOptions;
  readonly settings?: Partial<Config['provenance']>;
  readonly scope?: Config['provenance']['signing']['scope'];
  readonly clock?: Clock;
}

/** Opens the credentials of a bridge with new trial certificates, whose files are in a new folder inside `folder`. */
export async function openTrialCredentials(folder: string, options: Options = {}) {
  const { certificates, settings, scope = 'changed', clock = systemClock } = options;
  const own = await mkdtemp(join(folder, 'certificates-'));
  const files = await writeCertificates(own, trialCertificates(certificates));
  const { certificate_file, key_file, trust_anchors_file } = files;
  const reported: unknown[] = [];
  const failures: CredentialFailure[] = [];
  const credentials = openCredentials({
    settings: {
      mark: 'never',
      check: 'validate',
      trust_anchors_file,
      max_manifest_bytes: 65_536,
      timeout_ms: 30_000,
      signing: { certificate_file, key_file, scope },
      ...settings,
    },
    limits: {
      max_encoded_bytes: 33_554_432,
      max_edge: 16_384,
      max_pixels: 67_108_864,
      max_decode_ms: 10_000,
    },
    clock,
    slices,
    log: { failure: (error) => reported.push(error) },
    metrics: { ...silentMetrics, credentialsFailed: (reason) => failures.push(reason) },
    newId: createIds(clock.nowMs).newOpaqueId,
    version: '1.2.3',
  });
  return { credentials, files, reported, failures };
}
