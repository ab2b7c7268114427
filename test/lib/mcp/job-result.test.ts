import { describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { ApiFailure, type BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { toJobResult } from '../../../lib/mcp/job-result.ts';
import type { ToolContext } from '../../../lib/mcp/tool.ts';

/** A bridge whose images have no preview. */
const context = {
  api: {
    bytes: () => Promise.reject(new ApiFailure('not_found', 'there is no such artifact')),
  } as unknown as BridgeApi,
  signal: new AbortController().signal,
} as unknown as ToolContext;

const image = (index: number) => ({
  type: 'artifact' as const,
  id: `${index}`.repeat(32),
  name: `${index}.png`,
  index,
  format: 'png' as const,
  width: 64,
  height: 32,
  bytes: 100,
  sha256: '0'.repeat(64),
});

const error = {
  code: 'cancelled',
  message: 'the bridge has ended while the job ran',
  suggestions: ['Look before you repeat it.'],
};

function jobOf(fields: object): ImageJob {
  return { id: 'job', ...fields } as ImageJob;
}

async function textOf(job: ImageJob) {
  const { content, isError = false } = await toJobResult(job, context);
  const [first] = content;
  const links = content.filter((part) => part.type === 'resource_link').length;
  return { text: first?.type === 'text' ? first.text : '', links, isError };
}

describe('toJobResult', () => {
  it('names the tool that follows a job that has not ended', async () => {
    const { text, isError } = await textOf(jobOf({ status: 'running' }));

    expect(text).toContain('call get_job with {"id": "job"}');
    expect(isError).toBe(false);
  });

  it('says why there are no images, and what to do', async () => {
    const { text, links, isError } = await textOf(jobOf({ status: 'failed', error }));

    expect(text.split('\n')).toEqual([
      'Job job has no images: failed.',
      'cancelled: the bridge has ended while the job ran',
      'Look before you repeat it.',
    ]);
    expect({ links, isError }).toEqual({ links: 0, isError: true });
  });

  it('gives what an interrupted job had finished', async () => {
    const job = jobOf({ status: 'interrupted', error, partial_result: { data: [image(1)] } });

    const { text, links, isError } = await textOf(job);

    expect(text).toContain('Job job was interrupted, with 1 made:');
    expect(text).toContain(`Image ${'1'.repeat(32)}: 64x32 png`);
    expect({ links, isError }).toEqual({ links: 1, isError: true });
  });
});
