import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  ImageMetadataRecord,
  OMITTABLE_FIELDS,
} from '../../../../lib/contract/reply/metadata-record.ts';
import { fitRecord, toMetadataRecord } from '../../../../lib/generation/finish/metadata-record.ts';
import type { Outcome } from '../../../../lib/generation/finish/outcome.ts';
import { longestRecord } from '../../../../lib/generation/plan/record-essentials.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { planOf } from '../plans.ts';
import { requestOf } from '../requests.ts';

const TIMINGS = { queue_ms: 1, input_ms: 2, provider_ms: 3, artifact_ms: 4, total_ms: 10 };
const IMAGE = { index: 0, format: 'png', width: 3, height: 2 } as const;

function outcomeOf(sent: object = {}, capabilities = anything): Outcome {
  return {
    plan: planOf(requestOf(sent), capabilities),
    completedSecs: 1_700_000_000,
    result: {
      outputs: [],
      failures: [],
      usage: { total_tokens: 7, provider: { images: 1 } },
      warnings: ['sandbox_output', 'negative_prompt_merged', 'sandbox_output'],
      providerEndedMs: 0,
    },
    attempts: [
      { provider: 'other', outcome: 'failed', error_code: 'overloaded', duration_ms: 1 },
      { provider: 'scripted', model: 'scripted-image', outcome: 'succeeded', duration_ms: 5 },
    ],
  };
}

const recordOf = (outcome: Outcome, revisedPrompt?: string) =>
  toMetadataRecord(outcome, TIMINGS, { revisedPrompt }, IMAGE);

describe('toMetadataRecord', () => {
  it('holds everything that the contract lists, as the schema has it', () => {
    const outcome = outcomeOf({ metadata: { order: '7' }, parameters: { n: 2 } });

    const record = recordOf(outcome, 'a red boat');

    expect(v.parse(ImageMetadataRecord, record)).toEqual({
      version: '1',
      request_id: 'request-1',
      completed: 1_700_000_000,
      operation: 'generate',
      inputs: { images: 0, mask: 0, reference_images: 0 },
      prompt: 'a boat',
      policies: outcome.plan.report.record.policies,
      requested: outcome.plan.report.record.requested,
      effective: outcome.plan.report.record.effective,
      normalizations: [],
      revised_prompt: 'a red boat',
      provider: 'scripted',
      model: 'scripted-image',
      attempts: outcome.attempts,
      usage: { total_tokens: 7, provider: { images: 1 } },
      timings: TIMINGS,
      warnings: ['negative_prompt_merged', 'sandbox_output'],
      metadata: { order: '7' },
      image: IMAGE,
    });
  });

  it('omits what is not known', () => {
    const outcome = outcomeOf();

    const record = recordOf({
      ...outcome,
      attempts: undefined,
      result: { ...outcome.result, usage: undefined },
    });

    expect(Object.keys(record)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(attempts|usage|revised_prompt|negative)/)]),
    );
  });

  it('reports a merged negative prompt as the effective prompt', () => {
    const record = recordOf(outcomeOf({ negative_prompt: 'fog' }, gptImage2));

    expect(record).toMatchObject({
      prompt: 'a boat',
      effective_prompt: 'a boat\n\nAvoid: fog',
      negative_prompt: 'fog',
    });
    expect(record).not.toHaveProperty('effective_negative_prompt');
  });

  it('reports a native negative prompt as the effective one', () => {
    const capabilities = { ...anything, negative_prompt: 'native' } as const;

    const record = recordOf(outcomeOf({ negative_prompt: 'fog' }, capabilities));

    expect(record).toMatchObject({ negative_prompt: 'fog', effective_negative_prompt: 'fog' });
    expect(record).not.toHaveProperty('effective_prompt');
  });

  it('counts the inputs', () => {
    const image = { type: 'base64', data: Buffer.from('image').toString('base64') };
    const sent = { operation: 'edit', images: [image, image], mask: image };

    const record = recordOf(outcomeOf({ ...sent, reference_images: [image] }));

    expect(record.inputs).toEqual({ images: 2, mask: 1, reference_images: 1 });
  });
});

describe('fitRecord', () => {
  const full = recordOf(outcomeOf(), 'a red boat');
  const present = OMITTABLE_FIELDS.filter((field) => field !== 'session');

  it('keeps everything where everything fits', () => {
    expect(fitRecord(full, JSON.stringify, () => true)).toBe(JSON.stringify(full));
  });

  it.each(present.map((field, index) => [field, present.slice(0, index + 1)] as const))(
    'removes in the order of the contract, up to %s, and no more than it must',
    (field, omitted) => {
      const json = fitRecord(
        full,
        JSON.stringify,
        (text) => !Object.hasOwn(JSON.parse(text), field),
      );

      const record = v.parse(ImageMetadataRecord, JSON.parse(json ?? ''));
      expect(record.omitted_fields).toEqual(omitted);
      expect(record).not.toHaveProperty(field);
      const kept = Object.keys(full).filter((key) => !omitted.some((one) => one === key));
      expect(Object.keys(record).sort()).toEqual([...kept, 'omitted_fields'].sort());
    },
  );

  it('names nothing that was not there', () => {
    const { usage: _usage, ...plain } = full;

    const json = fitRecord(plain, JSON.stringify, (text) => !text.includes('"timings":'));

    expect(JSON.parse(json ?? '')).toMatchObject({ omitted_fields: ['timings'] });
  });

  it('gives up rather than cut a prompt', () => {
    expect(fitRecord(full, JSON.stringify, (text) => !text.includes('a boat'))).toBeUndefined();
  });
});

describe('longestRecord', () => {
  it.each([
    {},
    { negative_prompt: 'fog', parameters: { n: 4, output_format: 'jpeg' } },
    { metadata: { a: 'b' } },
  ])('is not shorter than the record of %j', (sent) => {
    const outcome = outcomeOf(sent, gptImage2);
    const json = fitRecord(
      toMetadataRecord(
        outcome,
        TIMINGS,
        { revisedPrompt: 'x'.repeat(9000) },
        {
          index: outcome.plan.report.record.effective.n - 1,
          format: 'webp',
          width: 16_384,
          height: 16_384,
        },
      ),
      JSON.stringify,
      (text) => !OMITTABLE_FIELDS.some((field) => Object.hasOwn(JSON.parse(text), field)),
    );

    const longest = JSON.stringify(longestRecord(outcome.plan.report.record));

    expect(json?.length).toBeGreaterThan(500);
    expect(longest.length).toBeGreaterThanOrEqual(json?.length ?? 0);
  });
});
