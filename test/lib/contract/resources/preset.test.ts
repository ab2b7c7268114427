import { describe, expect, it } from 'vitest';
import { ImageRequest } from '../../../../lib/contract/request/image-request.ts';
import {
  PresetCreate,
  PresetReplace,
  PresetTemplate,
} from '../../../../lib/contract/resources/preset.ts';
import { LIMITS, outputOf, verdictOf } from '../verdict-of.ts';

const EMPTY = {
  operation: 'generate',
  parameters: {},
  output: {},
  routing: {},
  session: {},
  policies: {},
  metadata: {},
};

describe('PresetTemplate', () => {
  it('contains its objects even if none was sent', () => {
    expect(outputOf(PresetTemplate, {})).toEqual(EMPTY);
  });

  it('is returned as it was sent, without the defaults', () => {
    const template = {
      operation: 'edit',
      prompt: 'a cat',
      negative_prompt: null,
      parameters: { size: 'auto', n: 2, aspect_ratio: null },
      output: { response_format: 'artifact', transparency: { despill: true } },
      routing: { provider: 'a', fallbacks: [{ provider: 'b' }, { provider: 'c', model: 'm' }] },
      session: { mode: 'isolated' },
      policies: { compatibility: 'strict' },
      timeout_ms: 5000,
      user: null,
      metadata: { a: 'b' },
    };

    expect(outputOf(PresetTemplate, template)).toEqual(template);
  });

  it('drops a null that means an absent field', () => {
    const template = {
      operation: null,
      prompt: null,
      parameters: null,
      output: { filename: null },
      routing: { fallbacks: [{ provider: 'a', model: null }] },
      metadata: null,
    };

    expect(outputOf(PresetTemplate, template)).toEqual({
      ...EMPTY,
      routing: { fallbacks: [{ provider: 'a' }] },
    });
  });

  it('keeps a metadata pair named __proto__', () => {
    const template: unknown = JSON.parse('{"metadata":{"__proto__":"x"}}');

    const { metadata } = outputOf(PresetTemplate, template) as { metadata: object };

    expect(Object.entries(metadata)).toEqual([['__proto__', 'x']]);
  });

  it('is a valid request once a prompt is added', () => {
    const template = outputOf(PresetTemplate, {
      parameters: { n: 2, output_format: 'webp' },
      output: { response_format: 'artifact', filename_prefix: 'icon' },
    });

    expect(verdictOf(ImageRequest, { ...(template as object), prompt: 'a cat' })).toEqual([]);
  });

  it.each([
    [{ prompt: ' ' }, 'prompt: blank'],
    [{ prompt: 'a'.repeat(12_289) }, 'prompt: invalid_combination'],
    [{ version: '1' }, 'version: unknown_field'],
    [{ images: [] }, 'images: unknown_field'],
    [{ mask: null }, 'mask: unknown_field'],
    [{ reference_images: [] }, 'reference_images: unknown_field'],
    [{ idempotency_key: 'k' }, 'idempotency_key: unknown_field'],
    [{ parameters: { n: 99 } }, 'parameters.n: out_of_range'],
    [{ parameters: { seed: 1 } }, 'parameters.seed: unknown_field'],
    [
      { parameters: { size: '1x1', resolution: '1k' } },
      'parameters.resolution: invalid_combination',
    ],
    [{ output: { filename: 'a' } }, 'output.filename: invalid_combination'],
    [{ session: { mode: 'thread' } }, 'session.thread_id: invalid_combination'],
    [
      { operation: 'edit', parameters: { action: 'generate' } },
      'parameters.action: invalid_combination',
    ],
    [{ timeout_ms: 60_001 }, 'timeout_ms: out_of_range'],
    [[], ': invalid_type'],
  ])('rejects %j', (template, verdict) => {
    expect(verdictOf(PresetTemplate, template)).toEqual([verdict]);
  });

  it('rejects providers that are not enabled', () => {
    const routing = { provider: 'c', fallbacks: [{ provider: 'a' }, { provider: 'd' }] };
    const limits = { ...LIMITS, providers: new Set(['a']) };

    expect(verdictOf(PresetTemplate, { routing }, limits)).toEqual([
      'routing.fallbacks[1].provider: unknown_provider',
      'routing.provider: unknown_provider',
    ]);
  });

  it.each([
    [{ parameters: { action: 'edit' } }],
    [{ parameters: { input_fidelity: 'high' } }],
    [{ operation: 'edit' }],
  ])('does not check rules about images: %j', (template) => {
    expect(verdictOf(PresetTemplate, template)).toEqual([]);
  });
});

describe('PresetCreate', () => {
  it('keeps name, description and template', () => {
    const preset = { name: 'Icons-1.x_y', description: 'ä', template: {} };

    expect(outputOf(PresetCreate, preset)).toEqual({ ...preset, template: EMPTY });
  });

  it.each(['', '.a', '-a', '_a', 'a b', 'ä', 'a/b', 'n'.repeat(65)])(
    'refuses the name %j',
    (name) => {
      expect(verdictOf(PresetCreate, { name, template: {} })).toEqual(['name: invalid_value']);
    },
  );

  it.each([
    [{ template: {} }, 'name: required'],
    [{ name: 'a' }, 'template: required'],
    [{ name: 'a', template: null }, 'template: invalid_type'],
    [{ name: 'a', template: { parameters: { n: 0 } } }, 'template.parameters.n: out_of_range'],
    [{ name: 'a', template: {}, description: 'ä'.repeat(513) }, 'description: invalid_length'],
    [{ name: 'a', template: {}, description: '\ud800' }, 'description: invalid_text'],
    [{ name: 'a', template: {}, created: 1 }, 'created: unknown_field'],
  ])('rejects %j', (preset, verdict) => {
    expect(verdictOf(PresetCreate, preset)).toEqual([verdict]);
  });

  it('counts the characters of a description as code points', () => {
    const preset = { name: 'a', template: {}, description: '🐈'.repeat(512) };

    expect(verdictOf(PresetCreate, preset)).toEqual([]);
  });
});

describe('PresetReplace', () => {
  it('rejects a name', () => {
    expect(verdictOf(PresetReplace, { name: 'a', template: {} })).toEqual(['name: unknown_field']);
  });
});

describe('the title of a preset', () => {
  it.each([
    ['Plakat für März', 'Plakat für März'],
    ['  海報  ', '海報'],
    ['e\u0301'.repeat(64), 'é'.repeat(64)],
  ])('is any text: %j', (title, stored) => {
    expect(outputOf(PresetReplace, { title, template: {} })).toMatchObject({ title: stored });
  });

  it.each([
    ['', 'title: blank'],
    ['x'.repeat(65), 'title: invalid_length'],
    ['two\nlines', 'title: invalid_text'],
  ])('is refused: %j', (title, verdict) => {
    expect(verdictOf(PresetReplace, { title, template: {} })).toEqual([verdict]);
  });
});
