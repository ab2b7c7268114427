import { deserialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { ByteParts } from '../../../../lib/platform/byte-parts.ts';
import { decodeOutcome, encodeOutcome } from '../../../../lib/storage/postgres/stored-outcome.ts';

describe('encodeOutcome', () => {
  it('encodes images in parts so that they are images again', () => {
    const parts = new ByteParts([Buffer.from('one '), Buffer.from('image')]);
    const facts = {
      index: 0,
      warnings: ['sandbox_output'],
      revised_prompt: undefined,
      usage: null,
    };
    const outcome = { ok: true, value: { data: [{ ...facts, b64_json: parts }] } } as const;

    const decoded = decodeOutcome(encodeOutcome(outcome));

    const whole = new ByteParts([Buffer.from('one image')]);
    expect(decoded).toStrictEqual({ ok: true, value: { data: [{ ...facts, b64_json: whole }] } });
  });

  it('encodes bytes as one Uint8Array, as replicas of earlier versions do', () => {
    const parts = new ByteParts([Buffer.from([1]), Buffer.from([2])]);

    const stored = encodeOutcome({ ok: true, value: parts });

    expect(deserialize(stored)).toStrictEqual({ ok: true, value: new Uint8Array([1, 2]) });
  });
});
