import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/platform/clock.ts';
import { readCredentials } from '../../../lib/provenance/show-credentials.ts';
import {
  type CertificateOptions,
  trialCertificates,
  writeCertificates,
} from '../../support/provenance/certificates.ts';
import { runCommand } from '../../support/run-command.ts';
import { cleanUp, freshFolder, runProgram, startBridge } from '../../support/start-bridge.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signed-'));
});
afterAll(async () => {
  await cleanUp();
  await rm(folder, { recursive: true });
});

/** Writes certificates and resolves with the settings that name them. */
async function settings(options: CertificateOptions = {}) {
  const files = await writeCertificates(
    await mkdtemp(join(folder, 'files-')),
    trialCertificates(options),
  );
  const { certificate_file, key_file, trust_anchors_file } = files;
  const set = [
    `provenance.signing.certificate_file=${certificate_file}`,
    `provenance.signing.key_file=${key_file}`,
  ];
  return { set, key_file, trust_anchors_file };
}

interface Reply {
  readonly id: string;
  readonly data: readonly { readonly id: string; readonly b64_json: string }[];
  readonly warnings: readonly string[];
}

interface Job {
  readonly result: Pick<Reply, 'data'>;
}

function toArguments(set: readonly string[]): string[] {
  return set.flatMap((assignment) => ['--set', assignment]);
}

describe('a bridge that signs every image', () => {
  it('delivers the same signed bytes with a reply, as an artifact and from a job', async () => {
    const { set, trust_anchors_file } = await settings();
    const bridge = await startBridge({ set: [...set, 'provenance.signing.scope=all'] });
    const post = async (path: string, output: object) => {
      const reply = await fetch(bridge.address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a secret fox',
          parameters: { size: '64x64', output_format: 'webp' },
          output,
        }),
      });
      return (await reply.json()) as Reply;
    };
    const read = async (id = '') => {
      const reply = await fetch(`${bridge.address}/v1/artifacts/${id}`);
      return Buffer.from(await reply.arrayBuffer());
    };

    const inline = await post('/v1/images', {});
    const stored = await post('/v1/images', { response_format: 'artifact' });
    const { id } = await post('/v1/jobs', { response_format: 'artifact' });
    const job = async () => (await (await fetch(`${bridge.address}/v1/jobs/${id}`)).json()) as Job;
    await expect.poll(job).toMatchObject({ status: 'succeeded' });
    const { result } = await job();

    const images = [
      Buffer.from(inline.data[0]?.b64_json ?? '', 'base64'),
      await read(stored.data[0]?.id),
      await read(result.data[0]?.id),
    ];
    for (const bytes of images) {
      const image = { bytes, format: 'webp' } as const;
      const report = await readCredentials(image, trust_anchors_file, systemClock);
      expect(report).toMatchObject({
        state: 'trusted',
        manifest: {
          signer: 'Example Organisation',
          actions: [
            {
              action: 'c2pa.created',
              source_type: 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia',
            },
          ],
        },
      });
      expect(bytes.includes('secret')).toBe(false);
    }
    expect(inline.warnings).not.toContain('signing_failed');
  });
});

describe('certificates that cannot sign', () => {
  it.each<[string, CertificateOptions, string]>([
    ['an expired certificate', { days: -0.5 }, 'certificate_file: contains an expired certificate'],
    [
      'a certificate for another use',
      { lacksUsage: true },
      'certificate_file: must contain a certificate that may sign credentials',
    ],
  ])('prevent a start and fail the checks: %s', async (_, options, message) => {
    const { set } = await settings(options);
    const cwd = await freshFolder();

    const start = await runProgram(['quickstart', ...toArguments(set)], cwd);
    const check = await runCommand(['config', 'check', ...toArguments(set)], { cwd });
    const doctor = await runCommand(['doctor', ...toArguments(set)], { cwd });

    expect(start.code).not.toBe(0);
    for (const text of [start.stderr, doctor.stdout]) {
      expect(text).toContain(`provenance.signing.${message}`);
    }
    expect(check.exitCode).toBe(2);
    expect(check.stdout.replace(/ \(\S+\)/, '')).toContain(`provenance.signing.${message}`);
  });

  it('prevent a start if others can read the key, or if the key is of another certificate', async () => {
    const cwd = await freshFolder();
    const open = await settings();
    await chmod(open.key_file, 0o644);
    const wrong = await settings();
    await writeFile(wrong.key_file, trialCertificates().key);

    const starts = [
      await runProgram(['quickstart', ...toArguments(open.set)], cwd),
      await runProgram(['quickstart', ...toArguments(wrong.set)], cwd),
    ];

    expect(starts.map(({ code }) => code === 0)).toEqual([false, false]);
    expect(starts[0]?.stderr).toContain('key_file: must be accessible only by its owner');
    expect(starts[1]?.stderr).toContain('key_file: must contain the key of the first certificate');
  });

  it('are a warning of the checks if a certificate expires within 30 days', async () => {
    const { set } = await settings({ days: 20.5 });
    const cwd = await freshFolder();

    const check = await runCommand(['config', 'check', ...toArguments(set)], { cwd });
    const doctor = await runCommand(['doctor', ...toArguments(set)], { cwd });

    expect(check).toMatchObject({ exitCode: 0 });
    for (const text of [check.stdout, doctor.stdout]) {
      expect(text).toContain('a certificate expires in 20 days');
    }
  });
});
