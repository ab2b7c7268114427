import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImageRequest, toIdempotencyKey } from '../../../../lib/contract/request/image-request.ts';
import { errorOf, issuesOf, LIMITS, outputOf, verdictOf } from '../verdict-of.ts';

const PNG = { type: 'base64', data: 'iVBORw0KGgo=' };
const CANVAS = { x: -8, y: 0, width: 64, height: 64 };
const base = { prompt: 'a cat' };
const edit = { operation: 'edit', prompt: 'a cat', images: [PNG] };
const stored = { response_format: 'artifact' };

/** One row per rule: the fields sent with a valid prompt, the invalid field, the code. */
type Row = readonly [rule: string, request: object, verdict: string];

const withParameters = (parameters: object) => ({ ...base, parameters });
const withOutput = (output: object, parameters: object = {}) => ({ ...base, parameters, output });
const withInput = (input: unknown) => ({ ...base, operation: 'edit', images: [input] });

const TOP_LEVEL: readonly Row[] = [
  ['version is 1', { ...base, version: '2' }, 'version: unsupported_version'],
  ['version is text', { ...base, version: 1 }, 'version: unsupported_version'],
  ['operation is known', { ...base, operation: 'draw' }, 'operation: invalid_value'],
  ['prompt is required', {}, 'prompt: required'],
  ['prompt is not null', { prompt: null }, 'prompt: invalid_type'],
  ['prompt is text', { prompt: 5 }, 'prompt: invalid_type'],
  ['prompt is not empty', { prompt: '' }, 'prompt: blank'],
  ['prompt is not blank', { prompt: ' \t\n\u3000' }, 'prompt: blank'],
  ['prompt holds no lone surrogate', { prompt: 'a\ud800b' }, 'prompt: invalid_text'],
  ['prompt holds no NUL', { prompt: 'a\u0000b' }, 'prompt: invalid_text'],
  ['prompt has a limit in bytes', { prompt: 'ä'.repeat(6145) }, 'prompt: invalid_combination'],
  [
    'prompt and negative prompt share it',
    { prompt: 'a'.repeat(12_000), negative_prompt: 'b'.repeat(289) },
    'prompt: invalid_combination',
  ],
  ['negative prompt is text', { ...base, negative_prompt: [] }, 'negative_prompt: invalid_type'],
  ['negative prompt is not blank', { ...base, negative_prompt: ' ' }, 'negative_prompt: blank'],
  [
    'negative prompt holds no lone surrogate',
    { ...base, negative_prompt: '\udc00' },
    'negative_prompt: invalid_text',
  ],
  ['images is a list', { ...edit, images: {} }, 'images: invalid_type'],
  ['an edit needs an image', { ...base, operation: 'edit' }, 'images: invalid_combination'],
  ['a generation takes no image', { ...base, images: [PNG] }, 'images: invalid_combination'],
  ['a generation takes no mask', { ...base, mask: PNG }, 'mask: invalid_combination'],
  [
    'a canvas has a width',
    withInput({ ...PNG, canvas: { ...CANVAS, width: 0 } }),
    'images[0].canvas.width: out_of_range',
  ],
  [
    'a canvas has whole pixels',
    withInput({ ...PNG, canvas: { ...CANVAS, x: 0.5 } }),
    'images[0].canvas.x: out_of_range',
  ],
  [
    'a canvas has no other fields',
    withInput({ ...PNG, canvas: { ...CANVAS, z: 1 } }),
    'images[0].canvas.z: unknown_field',
  ],
  [
    'a canvas is complete',
    withInput({ ...PNG, canvas: { x: 0, y: 0, width: 9 } }),
    'images[0].canvas.height: required',
  ],
  [
    'only the first image has a canvas',
    { ...edit, images: [PNG, { ...PNG, canvas: CANVAS }] },
    'images[1].canvas: invalid_combination',
  ],
  [
    'a mask has no canvas',
    { ...edit, mask: { ...PNG, canvas: CANVAS } },
    'mask.canvas: invalid_combination',
  ],
  [
    'a reference has no canvas',
    { ...base, reference_images: [{ ...PNG, canvas: CANVAS }] },
    'reference_images[0].canvas: invalid_combination',
  ],
  [
    'a canvas with a mask has at most 4096 × 4096 pixels',
    { ...edit, images: [{ ...PNG, canvas: { ...CANVAS, width: 8192, height: 8192 } }], mask: PNG },
    'images: invalid_combination',
  ],
  ['references are a list', { ...base, reference_images: PNG }, 'reference_images: invalid_type'],
  [
    'images have a limit',
    { ...edit, images: Array.from({ length: 5 }, () => PNG) },
    'images: too_many',
  ],
  [
    'references have a limit',
    { ...base, reference_images: Array.from({ length: 5 }, () => PNG) },
    'reference_images: too_many',
  ],
  [
    'images, mask and references share it',
    { ...edit, mask: PNG, images: [PNG, PNG], reference_images: [PNG, PNG] },
    'images: invalid_combination',
  ],
  ['key is not empty', { ...base, idempotency_key: '' }, 'idempotency_key: invalid_length'],
  [
    'key is at most 256 bytes',
    { ...base, idempotency_key: 'ä'.repeat(129) },
    'idempotency_key: invalid_length',
  ],
  [
    'key holds no control characters',
    { ...base, idempotency_key: 'a\nb' },
    'idempotency_key: invalid_text',
  ],
  [
    'key holds no lone surrogate',
    { ...base, idempotency_key: '\ud800' },
    'idempotency_key: invalid_text',
  ],
  ['key is text', { ...base, idempotency_key: 7 }, 'idempotency_key: invalid_type'],
  ['timeout is at least 1', { ...base, timeout_ms: 0 }, 'timeout_ms: out_of_range'],
  ['timeout is at most the setting', { ...base, timeout_ms: 60_001 }, 'timeout_ms: out_of_range'],
  ['timeout is whole', { ...base, timeout_ms: 10.5 }, 'timeout_ms: out_of_range'],
  ['timeout is a number', { ...base, timeout_ms: '10' }, 'timeout_ms: invalid_type'],
  ['user is not empty', { ...base, user: '' }, 'user: invalid_length'],
  ['user is at most 256 bytes', { ...base, user: 'u'.repeat(257) }, 'user: invalid_length'],
  ['user holds no control characters', { ...base, user: '\u007f' }, 'user: invalid_text'],
  ['metadata is an object', { ...base, metadata: [] }, 'metadata: invalid_type'],
  [
    'metadata has at most 16 pairs',
    { ...base, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
    'metadata: too_many',
  ],
  [
    'metadata names are safe',
    { ...base, metadata: { 'a b': 'x' } },
    'metadata["a b"]: invalid_key',
  ],
  ['metadata names are not empty', { ...base, metadata: { '': 'x' } }, 'metadata[""]: invalid_key'],
  [
    'metadata names are at most 64 long',
    { ...base, metadata: { ['k'.repeat(65)]: 'x' } },
    `metadata["${'k'.repeat(64)}"]: invalid_key`,
  ],
  ['metadata values are text', { ...base, metadata: { a: 1 } }, 'metadata.a: invalid_type'],
  ['metadata values are not null', { ...base, metadata: { a: null } }, 'metadata.a: invalid_type'],
  [
    'metadata values are at most 512 bytes',
    { ...base, metadata: { a: 'ä'.repeat(257) } },
    'metadata.a: invalid_length',
  ],
  [
    'metadata values are storable',
    { ...base, metadata: { a: '\u0000' } },
    'metadata.a: invalid_text',
  ],
  ['unknown fields are named', { ...base, style: 'x' }, 'style: unknown_field'],
  ['unknown null fields are named', { ...base, style: null }, 'style: unknown_field'],
  ['parameters is an object', { ...base, parameters: 'x' }, 'parameters: invalid_type'],
  ['output is no list', { ...base, output: [] }, 'output: invalid_type'],
  ['routing is an object', { ...base, routing: 1 }, 'routing: invalid_type'],
  ['session is an object', { ...base, session: true }, 'session: invalid_type'],
  ['policies is an object', { ...base, policies: '' }, 'policies: invalid_type'],
];

const INPUTS: readonly Row[] = [
  ['an input is an object', withInput('x'), 'images[0]: invalid_type'],
  ['an input is not null', withInput(null), 'images[0]: invalid_type'],
  ['an input is no list', withInput([]), 'images[0]: invalid_type'],
  ['a mask is no list', { ...withInput(PNG), mask: [] }, 'mask: invalid_type'],
  ['an input has a type', withInput({ data: 'x' }), 'images[0].type: required'],
  ['its type is known', withInput({ type: 'file', path: 'x' }), 'images[0].type: invalid_value'],
  ['a data_url is there', withInput({ type: 'data_url' }), 'images[0].data_url: required'],
  [
    'a data_url is text',
    withInput({ type: 'data_url', data_url: 5 }),
    'images[0].data_url: invalid_type',
  ],
  ['base64 data is there', withInput({ type: 'base64' }), 'images[0].data: required'],
  ['an artifact id is there', withInput({ type: 'artifact' }), 'images[0].artifact_id: required'],
  [
    'an artifact id is bounded',
    withInput({ type: 'artifact', artifact_id: 'a'.repeat(129) }),
    'images[0].artifact_id: invalid_length',
  ],
  [
    'remote inputs are enabled',
    withInput({ type: 'url', url: 'https://example.org/a.png' }),
    'images[0]: remote_inputs_disabled',
  ],
  [
    'members of another type are unknown',
    withInput({ ...PNG, data_url: 'x' }),
    'images[0].data_url: unknown_field',
  ],
  ['a filename is text', withInput({ ...PNG, filename: 1 }), 'images[0].filename: invalid_type'],
  ...[
    '',
    '.',
    '..',
    'a/b.png',
    'a\\b.png',
    'a\u0000.png',
    'a\n.png',
    '\ud800',
    'ä'.repeat(128),
  ].map(
    (filename): Row => [
      `the filename ${JSON.stringify(filename).slice(0, 12)} is unsafe`,
      withInput({ ...PNG, filename }),
      'images[0].filename: unsafe_filename',
    ],
  ),
  [
    'a media type is text',
    withInput({ ...PNG, media_type: {} }),
    'images[0].media_type: invalid_type',
  ],
  ['the mask is checked too', { ...edit, mask: { type: 'base64' } }, 'mask.data: required'],
  [
    'references are checked too',
    { ...base, reference_images: [PNG, { type: 'base64' }] },
    'reference_images[1].data: required',
  ],
];

const PARAMETERS: readonly Row[] = [
  ...[0, -1, 9, 1.5, Number.POSITIVE_INFINITY].map(
    (n): Row => [`n is not ${n}`, withParameters({ n }), 'parameters.n: out_of_range'],
  ),
  ['n is a number', withParameters({ n: '2' }), 'parameters.n: invalid_type'],
  ...[
    '',
    'AUTO',
    '0x5',
    '1024',
    '1024x',
    '01024x5',
    '1024X1024',
    '16385x1',
    '1x16385',
    '1e3x1',
    ' 1x1',
    '-1x1',
  ].map(
    (size): Row => [
      `size is not ${JSON.stringify(size)}`,
      withParameters({ size }),
      'parameters.size: invalid_value',
    ],
  ),
  ['size is text', withParameters({ size: 1024 }), 'parameters.size: invalid_type'],
  ...['16', '16x9', '0:9', '16:0', '1.5:1', '100000:1'].map(
    (aspect_ratio): Row => [
      `aspect ratio is not ${aspect_ratio}`,
      withParameters({ aspect_ratio }),
      'parameters.aspect_ratio: invalid_value',
    ],
  ),
  [
    'a size excludes an aspect ratio',
    withParameters({ size: '1x1', aspect_ratio: '1:1' }),
    'parameters.aspect_ratio: invalid_combination',
  ],
  [
    'resolution is known',
    withParameters({ resolution: '8k' }),
    'parameters.resolution: invalid_value',
  ],
  [
    'a size excludes a resolution',
    withParameters({ size: '1x1', resolution: '1k' }),
    'parameters.resolution: invalid_combination',
  ],
  ['quality is known', withParameters({ quality: 'hd' }), 'parameters.quality: invalid_value'],
  [
    'format is known',
    withParameters({ output_format: 'gif' }),
    'parameters.output_format: invalid_value',
  ],
  ...[-1, 101, 0.5].map(
    (output_compression): Row => [
      `compression is not ${output_compression}`,
      withParameters({ output_format: 'jpeg', output_compression }),
      'parameters.output_compression: out_of_range',
    ],
  ),
  [
    'png takes no compression',
    withParameters({ output_format: 'png', output_compression: 5 }),
    'parameters.output_compression: invalid_combination',
  ],
  [
    'a format left out is png',
    withParameters({ output_compression: 5 }),
    'parameters.output_compression: invalid_combination',
  ],
  [
    'background is known',
    withParameters({ background: 'red' }),
    'parameters.background: invalid_value',
  ],
  [
    'moderation is known',
    withParameters({ moderation: 'off' }),
    'parameters.moderation: invalid_value',
  ],
  ...[-1, 4, 1.5].map(
    (partial_images): Row => [
      `partial images are not ${partial_images}`,
      withParameters({ partial_images }),
      'parameters.partial_images: out_of_range',
    ],
  ),
  [
    'failure policy is known',
    withParameters({ failure_policy: 'none' }),
    'parameters.failure_policy: invalid_value',
  ],
  ['action is known', withParameters({ action: 'draw' }), 'parameters.action: invalid_value'],
  [
    'an edit does not generate',
    { ...edit, parameters: { action: 'generate' } },
    'parameters.action: invalid_combination',
  ],
  [
    'a generation without references does not edit',
    withParameters({ action: 'edit' }),
    'parameters.action: invalid_combination',
  ],
  [
    'fidelity is known',
    { ...edit, parameters: { input_fidelity: 'max' } },
    'parameters.input_fidelity: invalid_value',
  ],
  [
    'fidelity needs an image',
    withParameters({ input_fidelity: 'high' }),
    'parameters.input_fidelity: invalid_combination',
  ],
  ['unknown parameters are named', withParameters({ seed: 1 }), 'parameters.seed: unknown_field'],
];

const OUTPUT: readonly Row[] = [
  [
    'response format is known',
    withOutput({ response_format: 'file' }),
    'output.response_format: invalid_value',
  ],
  ...[
    '',
    '/a',
    'a/',
    'a//b',
    '..',
    'a/../b',
    '.hidden',
    'a\\b',
    'ä',
    'a b',
    'NUL',
    'a/con.txt',
    'a./b',
    'a'.repeat(129),
    Array.from({ length: 257 }, () => 'a').join('/'),
  ].map(
    (directory): Row => [
      `the directory ${JSON.stringify(directory).slice(0, 12)} is unsafe`,
      withOutput({ ...stored, directory }),
      'output.directory: unsafe_path',
    ],
  ),
  ...[
    '',
    '.png',
    'a/b.png',
    'a b.png',
    'ä.png',
    'COM1.png',
    'aux',
    'a.',
    'a.png\u0000',
    'a'.repeat(161),
  ].map(
    (filename): Row => [
      `the filename ${JSON.stringify(filename).slice(0, 12)} is unsafe`,
      withOutput({ ...stored, filename }),
      'output.filename: unsafe_filename',
    ],
  ),
  ...['', '.a', 'a/b', 'lpt9', 'a'.repeat(65)].map(
    (filename_prefix): Row => [
      `the prefix ${JSON.stringify(filename_prefix).slice(0, 12)} is unsafe`,
      withOutput({ ...stored, filename_prefix }),
      'output.filename_prefix: unsafe_filename',
    ],
  ),
  [
    'a filename excludes a prefix',
    withOutput({ ...stored, filename: 'a', filename_prefix: 'b' }),
    'output.filename_prefix: invalid_combination',
  ],
  [
    'a filename needs one output',
    withOutput({ ...stored, filename: 'a' }, { n: 2 }),
    'output.filename: invalid_combination',
  ],
  [
    'an extension matches the format',
    withOutput({ ...stored, filename: 'a.webp' }, { output_format: 'jpeg' }),
    'output.filename: invalid_combination',
  ],
  [
    'an extension matches png by default',
    withOutput({ ...stored, filename: 'a.JPG' }),
    'output.filename: invalid_combination',
  ],
  [
    'a directory needs stored delivery',
    withOutput({ directory: 'a' }),
    'output.directory: invalid_combination',
  ],
  [
    'a filename needs stored delivery',
    withOutput({ filename: 'a' }),
    'output.filename: invalid_combination',
  ],
  [
    'a prefix needs stored delivery',
    withOutput({ filename_prefix: 'a', response_format: 'metadata' }),
    'output.filename_prefix: invalid_combination',
  ],
  ['collision is known', withOutput({ collision: 'replace' }), 'output.collision: invalid_value'],
  [
    'suffix needs a filename',
    withOutput({ ...stored, collision: 'suffix' }),
    'output.collision: invalid_combination',
  ],
  ['metadata mode is known', withOutput({ metadata: 'xmp' }), 'output.metadata: invalid_value'],
  [
    'a sidecar needs artifact delivery',
    withOutput({ metadata: 'sidecar' }),
    'output.metadata: invalid_combination',
  ],
  [
    'a url is no artifact delivery',
    withOutput({ metadata: 'sidecar', response_format: 'url' }),
    'output.metadata: invalid_combination',
  ],
  [
    'both kinds of metadata need artifact delivery',
    withOutput({ metadata: 'sidecar_and_embedded', response_format: 'b64_json' }),
    'output.metadata: invalid_combination',
  ],
  [
    'embedding needs bytes',
    withOutput({ metadata: 'embedded', response_format: 'metadata' }),
    'output.metadata: invalid_combination',
  ],
  [
    'transparency mode is known',
    withOutput({ transparency: { mode: 'magic' } }),
    'output.transparency.mode: invalid_value',
  ],
  ...['00FF00', '#00FF0', '#00FF000', '#GGGGGG'].map(
    (key_color): Row => [
      `the key colour is not ${key_color}`,
      withOutput({ transparency: { key_color } }),
      'output.transparency.key_color: invalid_value',
    ],
  ),
  ...[-1, 255, 1.5].map(
    (transparent_threshold): Row => [
      `the lower threshold is not ${transparent_threshold}`,
      withOutput({ transparency: { transparent_threshold } }),
      'output.transparency.transparent_threshold: out_of_range',
    ],
  ),
  ...[0, 256].map(
    (opaque_threshold): Row => [
      `the upper threshold is not ${opaque_threshold}`,
      withOutput({ transparency: { opaque_threshold } }),
      'output.transparency.opaque_threshold: out_of_range',
    ],
  ),
  [
    'thresholds are in order',
    withOutput({ transparency: { transparent_threshold: 96 } }),
    'output.transparency.transparent_threshold: invalid_combination',
  ],
  [
    'despill is a flag',
    withOutput({ transparency: { despill: 'yes' } }),
    'output.transparency.despill: invalid_type',
  ],
  [
    'unknown transparency fields are named',
    withOutput({ transparency: { feather: 1 } }),
    'output.transparency.feather: unknown_field',
  ],
  ['unknown output fields are named', withOutput({ path: '/x' }), 'output.path: unknown_field'],
];

const route = (provider: string, model?: string) => ({ provider, ...(model ? { model } : {}) });

const ROUTING: readonly Row[] = [
  ['provider is text', { ...base, routing: { provider: 1 } }, 'routing.provider: invalid_type'],
  [
    'provider is not empty',
    { ...base, routing: { provider: '' } },
    'routing.provider: invalid_length',
  ],
  [
    'model is bounded',
    { ...base, routing: { model: 'm'.repeat(129) } },
    'routing.model: invalid_length',
  ],
  [
    'fallbacks are at most four',
    { ...base, routing: { fallbacks: ['a', 'b', 'c', 'd', 'e'].map((name) => route(name)) } },
    'routing.fallbacks: too_many',
  ],
  [
    'a fallback names a provider',
    { ...base, routing: { fallbacks: [{ model: 'm' }] } },
    'routing.fallbacks[0].provider: required',
  ],
  [
    'a fallback has no other fields',
    { ...base, routing: { fallbacks: [{ provider: 'a', weight: 1 }] } },
    'routing.fallbacks[0].weight: unknown_field',
  ],
  [
    'fallbacks are unique',
    { ...base, routing: { fallbacks: [route('a', 'm'), route('a', 'm')] } },
    'routing.fallbacks: invalid_combination',
  ],
  [
    'a fallback differs from the primary',
    { ...base, routing: { provider: 'a', model: 'm', fallbacks: [route('a', 'm')] } },
    'routing.fallbacks: invalid_combination',
  ],
  [
    'fallback policy is known',
    { ...base, routing: { fallback_policy: 'always' } },
    'routing.fallback_policy: invalid_value',
  ],
  [
    'unknown routing fields are named',
    { ...base, routing: { retry: true } },
    'routing.retry: unknown_field',
  ],
  ['session mode is known', { ...base, session: { mode: 'open' } }, 'session.mode: invalid_value'],
  [
    'a key needs a persistent session',
    { ...base, session: { key: 'k' } },
    'session.key: invalid_combination',
  ],
  [
    'a persistent session needs a key',
    { ...base, session: { mode: 'persistent' } },
    'session.key: invalid_combination',
  ],
  ...['', 'a b', 'ä', 'k'.repeat(129)].map(
    (key): Row => [
      `the session key ${JSON.stringify(key).slice(0, 12)} is not valid`,
      { ...base, session: { mode: 'persistent', key } },
      'session.key: invalid_value',
    ],
  ),
  [
    'a thread id needs a thread session',
    { ...base, session: { thread_id: 't' } },
    'session.thread_id: invalid_combination',
  ],
  [
    'a thread session needs a thread id',
    { ...base, session: { mode: 'thread' } },
    'session.thread_id: invalid_combination',
  ],
  [
    'a thread id holds no control characters',
    { ...base, session: { mode: 'thread', thread_id: 'a\u0000' } },
    'session.thread_id: invalid_text',
  ],
  [
    'fallbacks need an isolated session',
    {
      ...base,
      session: { mode: 'persistent', key: 'k' },
      routing: { fallbacks: [route('a')] },
    },
    'routing.fallbacks: invalid_combination',
  ],
  [
    'unknown session fields are named',
    { ...base, session: { ttl: 5 } },
    'session.ttl: unknown_field',
  ],
  [
    'compatibility is known',
    { ...base, policies: { compatibility: 'lax' } },
    'policies.compatibility: invalid_value',
  ],
  [
    'negative prompt policy is known',
    { ...base, policies: { negative_prompt: 'drop' } },
    'policies.negative_prompt: invalid_value',
  ],
  [
    'revised prompt policy is known',
    { ...base, policies: { revised_prompt: 'drop' } },
    'policies.revised_prompt: invalid_value',
  ],
  [
    'batch execution is known',
    { ...base, policies: { batch_execution: 'serial' } },
    'policies.batch_execution: invalid_value',
  ],
  [
    'parallel needs an isolated session',
    {
      ...base,
      session: { mode: 'thread', thread_id: 't' },
      policies: { batch_execution: 'parallel' },
    },
    'policies.batch_execution: invalid_combination',
  ],
  [
    'unknown policies are named',
    { ...base, policies: { retries: 3 } },
    'policies.retries: unknown_field',
  ],
];

describe('ImageRequest', () => {
  it.each([...TOP_LEVEL, ...INPUTS, ...PARAMETERS, ...OUTPUT, ...ROUTING])(
    'holds that %s',
    (_rule, request, verdict) => {
      const found = new Set(verdictOf(ImageRequest, request));

      expect(found).toEqual(new Set([verdict]));
    },
  );

  it.each([
    ['a string', 'a cat'],
    ['a number', 5],
    ['a list', [base]],
    ['null', null],
    ['a flag', true],
  ])('rejects %s instead of an object', (_name, body) => {
    const error = errorOf(ImageRequest, body);

    expect(error?.details['issues']).toEqual([
      { field: '', code: 'invalid_type', message: 'must be an object' },
    ]);
    expect(error?.param).toBeNull();
  });

  it('reports 1e999 as out of range', () => {
    const body: unknown = JSON.parse('{"prompt":"a cat","parameters":{"n":1e999}}');

    const issues = issuesOf(ImageRequest, body);

    expect(issues.map(({ field, code }) => `${field}: ${code}`)).toContain(
      'parameters.n: out_of_range',
    );
  });

  it('names the offending field as the param of the error', () => {
    const error = errorOf(ImageRequest, { prompt: '', parameters: { n: 0 } });

    expect(error?.param).toBe('parameters.n');
  });
});

describe('a valid ImageRequest', () => {
  it('has all defaults if only a prompt is sent', () => {
    const output = outputOf(ImageRequest, base);

    expect(output).toEqual({
      version: '1',
      operation: 'generate',
      prompt: 'a cat',
      negative_prompt: null,
      images: [],
      mask: null,
      reference_images: [],
      parameters: {
        n: 1,
        size: 'auto',
        aspect_ratio: null,
        resolution: null,
        quality: 'auto',
        output_compression: null,
        background: 'auto',
        moderation: 'auto',
        partial_images: 0,
        failure_policy: 'fail_fast',
        action: 'auto',
        input_fidelity: null,
      },
      output: {
        response_format: 'b64_json',
        collision: 'error',
        metadata: 'none',
        transparency: {
          mode: 'auto',
          key_color: null,
          transparent_threshold: 12,
          opaque_threshold: 96,
          despill: true,
        },
      },
      routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
      session: { mode: 'isolated' },
      policies: {
        compatibility: 'strict',
        negative_prompt: 'auto',
        revised_prompt: 'include',
        batch_execution: 'auto',
      },
      idempotency_key: null,
      timeout_ms: null,
      user: null,
      metadata: {},
    });
  });

  it('treats null for an optional field as absent', () => {
    const nulls = {
      version: null,
      operation: null,
      negative_prompt: null,
      images: null,
      mask: null,
      reference_images: null,
      parameters: null,
      output: { filename: null, transparency: null, directory: null },
      routing: { provider: null, fallbacks: null, fallback_policy: null },
      session: { key: null, mode: null, thread_id: null },
      policies: { compatibility: null },
      idempotency_key: null,
      timeout_ms: null,
      user: null,
      metadata: null,
      ...base,
    };

    const output = outputOf(ImageRequest, nulls);

    expect(output).toEqual(outputOf(ImageRequest, base));
  });

  it.each<readonly [string, object]>([
    ['the largest prompt', { prompt: 'a'.repeat(12_288) }],
    ['a prompt of emoji', { prompt: '🐈' }],
    ['an edit with a mask', { ...edit, mask: PNG }],
    ['every input that the setting allows', { ...edit, images: [PNG, PNG, PNG], mask: PNG }],
    [
      'a generation with references that edits',
      {
        ...base,
        reference_images: [PNG],
        parameters: { action: 'edit', input_fidelity: 'low' },
      },
    ],
    ['an edit that edits', { ...edit, parameters: { action: 'edit' } }],
    ['the largest edges', withParameters({ size: '16384x16384' })],
    ['hints without a size', withParameters({ aspect_ratio: '16:9', resolution: '4k' })],
    ['compression of a jpeg', withParameters({ output_format: 'jpeg', output_compression: 0 })],
    ['a jpg of a jpeg', withOutput({ ...stored, filename: 'a.jpg' }, { output_format: 'jpeg' })],
    ['a filename with a dot', withOutput({ ...stored, filename: 'v1.2' })],
    ['a filename of 160 bytes', withOutput({ ...stored, filename: 'a'.repeat(160) })],
    ['a nested directory', withOutput({ response_format: 'url', directory: 'a/b_c/D-1.x' })],
    ['a suffix', withOutput({ ...stored, filename: 'a', collision: 'suffix' })],
    ['a sidecar', withOutput({ ...stored, metadata: 'sidecar_and_embedded' })],
    ['embedded metadata of a url', withOutput({ response_format: 'url', metadata: 'embedded' })],
    [
      'fallbacks to other models',
      {
        ...base,
        routing: { provider: 'a', model: 'm', fallbacks: [route('a', 'n'), route('b')] },
      },
    ],
    ['a persistent session', { ...base, session: { mode: 'persistent', key: 'a.b:c_d-1' } }],
    ['a thread', { ...base, session: { mode: 'thread', thread_id: 'thread 7' } }],
    [
      'sixteen pairs of metadata',
      {
        ...base,
        metadata: Object.fromEntries(
          Array.from({ length: 16 }, (_, i) => [`k.${i}`, 'ä'.repeat(256)]),
        ),
      },
    ],
    ['the longest timeout', { ...base, timeout_ms: 60_000 }],
    ['a key of 256 bytes', { ...base, idempotency_key: 'k'.repeat(256) }],
  ])('may be %s', (_name, request) => {
    expect(verdictOf(ImageRequest, request)).toEqual([]);
  });

  it('may contain remote inputs if they are enabled', () => {
    const request = withInput({ type: 'url', url: 'https://example.org/a.png' });

    expect(verdictOf(ImageRequest, request, { ...LIMITS, remoteInputs: true })).toEqual([]);
  });
});

describe('a hostile ImageRequest', () => {
  const paths = [
    '',
    'parameters',
    'output',
    'output.transparency',
    'routing',
    'session',
    'policies',
  ];
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

  it.each(paths.flatMap((object) => names.map((name) => [name, object || 'the request'])))(
    'reports that %s is no field of %s',
    (name, object) => {
      const path = object === 'the request' ? [] : object.split('.');
      const inner = `{${JSON.stringify(name)}:{"n":2}}`;
      const nested = path.reduceRight((json, key) => `{${JSON.stringify(key)}:${json}}`, inner);
      const body: unknown = JSON.parse(nested.replace('{', '{"prompt":"a cat",'));

      const verdict = verdictOf(ImageRequest, body);

      expect(verdict).toEqual([`${[...path, name].join('.')}: unknown_field`]);
      expect(Object.prototype).not.toHaveProperty('n');
    },
  );

  it('keeps a metadata pair named __proto__', () => {
    const body: unknown = JSON.parse('{"prompt":"a cat","metadata":{"__proto__":"x"}}');

    const { metadata } = outputOf(ImageRequest, body) as { metadata: object };

    expect(Object.entries(metadata)).toEqual([['__proto__', 'x']]);
  });

  it('reports a metadata pair named __proto__ that is not a string', () => {
    const body: unknown = JSON.parse('{"prompt":"a cat","metadata":{"__proto__":{"a":1}}}');

    expect(verdictOf(ImageRequest, body)).toEqual(['metadata.__proto__: invalid_type']);
  });

  it('reports all violations at once, sorted by field', () => {
    const verdict = verdictOf(ImageRequest, {
      zebra: 1,
      operation: 'edit',
      parameters: { n: 0, size: 'x', seed: 5 },
      output: { filename: 'a' },
      session: { mode: 'thread' },
      images: [{ type: 'base64' }, { type: 'data_url', data_url: 5 }],
    });

    expect(verdict).toEqual([
      'images[0].data: required',
      'images[1].data_url: invalid_type',
      'output.filename: invalid_combination',
      'parameters.n: out_of_range',
      'parameters.seed: unknown_field',
      'parameters.size: invalid_value',
      'prompt: required',
      'session.thread_id: invalid_combination',
      'zebra: unknown_field',
    ]);
  });

  it('reports 63 of more than 64 violations and that more exist', () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 70 }, (_, i) => [`f${String(69 - i).padStart(2, '0')}`, 1]),
    );

    const issues = issuesOf(ImageRequest, { ...base, ...unknown });

    expect(issues).toHaveLength(64);
    expect(issues[0]?.field).toBe('f00');
    expect(issues[62]?.field).toBe('f62');
    expect(issues[63]).toEqual({
      field: '',
      code: 'too_many_issues',
      message: 'further issues are not listed',
    });
  });

  it('reports 64 violations one by one', () => {
    const unknown = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`f${i}`, 1]));

    const issues = issuesOf(ImageRequest, { ...base, ...unknown });

    expect(issues).toHaveLength(64);
    expect(issues.every(({ code }) => code === 'unknown_field')).toBe(true);
  });

  it('is rejected as a whole if a list has too many items', () => {
    const images = Array.from({ length: 50_000 }, () => 5);

    const verdict = verdictOf(ImageRequest, { ...base, operation: 'edit', images });

    expect(verdict).toEqual(['images: too_many']);
  });

  it('reports every provider that is not enabled, together with all other violations', () => {
    const providers = new Set(['a', 'b']);
    const routing = { provider: 'absent', fallbacks: [route('b'), route('c'), route('a')] };

    const verdict = verdictOf(
      ImageRequest,
      { prompt: ' ', routing, parameters: { n: 0 } },
      { ...LIMITS, providers },
    );

    expect(verdict).toEqual([
      'parameters.n: out_of_range',
      'prompt: blank',
      'routing.fallbacks[1].provider: unknown_provider',
      'routing.provider: unknown_provider',
    ]);
  });

  it('is never quoted in the messages', () => {
    const marker = fc.stringMatching(/^[A-Z]{12}$/).map((text) => `zz${text}zz`);
    const field = fc.constantFrom(
      ...['version', 'operation', 'prompt', 'negative_prompt', 'images', 'mask', 'parameters.n'],
      ...['parameters.size', 'parameters.aspect_ratio', 'parameters.quality', 'output.directory'],
      ...['output.filename', 'output.response_format', 'output.transparency.key_color', 'routing'],
      ...['routing.provider', 'routing.fallbacks', 'session.mode', 'session.key', 'policies'],
      ...['policies.compatibility', 'timeout_ms', 'user', 'metadata', 'metadata.a', 'unknown'],
      ...['idempotency_key', 'reference_images', 'images.0', 'images.0.type'],
    );
    const wrap = fc.constantFrom<(text: string) => unknown>(
      (text) => text,
      (text) => `${text}\u0000`,
      (text) => `${text}\ud800/..`,
      (text) => [text],
      (text) => ({ a: text }),
      (text) => ({ type: text }),
      (text) => text.repeat(1200),
    );

    fc.assert(
      fc.property(marker, field, wrap, (text, path, make) => {
        const request = path
          .split('.')
          .reduceRight<unknown>(
            (inner, key) => (key === '0' ? [inner] : { [key]: inner }),
            make(text),
          );
        const error = errorOf(ImageRequest, { ...base, ...(request as object) });

        expect(JSON.stringify(error?.details ?? {})).not.toContain(text);
        expect(error?.message ?? '').not.toContain(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('toIdempotencyKey', () => {
  it.each([
    ['nowhere', null, undefined, undefined],
    ['in the body', 'k', undefined, 'k'],
    ['in the header', null, 'k', 'k'],
    ['in both, the same', 'k', 'k', 'k'],
    ['in both, the same beyond ASCII', 'schlüssel', 'schlüssel', 'schlüssel'],
  ])('returns the key that is %s', (_, inBody, inHeader, key) => {
    expect(toIdempotencyKey(inBody, inHeader)).toBe(key);
  });

  it('rejects two different keys', () => {
    expect(() => toIdempotencyKey('k', 'l')).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'idempotency_key' }),
    );
  });
});
