import { describe, expect, it } from 'vitest';
import { editOf, formOf, generationOf, issuesOf, translated } from './sent.ts';

describe('toImageRequest', () => {
  it('converts a plain request, with the compatibility normalize by default', () => {
    const { request, ignored, aliases } = translated(generationOf({ n: 2, size: '1024x1024' }));

    expect(request).toMatchObject({
      operation: 'generate',
      prompt: 'a fox',
      parameters: { n: 2, size: '1024x1024', quality: 'auto' },
      output: { response_format: 'b64_json' },
      routing: { provider: null, model: null, fallbacks: [] },
      policies: { compatibility: 'normalize' },
      images: [],
      mask: null,
    });
    expect([ignored, aliases]).toEqual([[], []]);
  });

  it.each<[string, object, object]>([
    ['size', { size: '64x64' }, { parameters: { size: '64x64' } }],
    ['quality', { quality: 'low' }, { parameters: { quality: 'low' } }],
    ['output_format', { output_format: 'webp' }, { parameters: { output_format: 'webp' } }],
    [
      'output_compression',
      { output_format: 'webp', output_compression: 7 },
      { parameters: { output_compression: 7 } },
    ],
    ['background', { background: 'opaque' }, { parameters: { background: 'opaque' } }],
    ['moderation', { moderation: 'low' }, { parameters: { moderation: 'low' } }],
    ['partial_images', { partial_images: 3 }, { parameters: { partial_images: 3 } }],
    ['response_format', { response_format: 'url' }, { output: { response_format: 'url' } }],
    ['user', { user: 'u' }, { user: 'u' }],
    ['model', { model: 'small' }, { routing: { provider: null, model: 'small' } }],
  ])('accepts %s', (_, sent, expected) => {
    expect(translated(generationOf(sent)).request).toMatchObject(expected);
  });

  it.each<[object, object]>([
    [{ provider: 'far' }, { routing: { provider: 'far' } }],
    [{ negative_prompt: 'text' }, { negative_prompt: 'text' }],
    [{ negative_prompt_mode: 'merge' }, { policies: { negative_prompt: 'merge' } }],
    [{ compatibility: 'best_effort' }, { policies: { compatibility: 'best_effort' } }],
    [{ revised_prompt: 'omit' }, { policies: { revised_prompt: 'omit' } }],
    [{ aspect_ratio: '16:9' }, { parameters: { aspect_ratio: '16:9' } }],
    [{ resolution: '2k' }, { parameters: { resolution: '2k' } }],
    [{ action: 'generate' }, { parameters: { action: 'generate' } }],
    [{ session: { mode: 'persistent', key: 'k' } }, { session: { mode: 'persistent', key: 'k' } }],
    [
      { fallbacks: [{ provider: 'far' }], fallback_policy: 'on_error' },
      { routing: { fallbacks: [{ provider: 'far' }], fallback_policy: 'on_error' } },
    ],
    [{ timeout_ms: 500 }, { timeout_ms: 500 }],
    [{ metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    [
      { reference_images: [{ type: 'base64', data: 'AAAA' }], input_fidelity: 'high' },
      { reference_images: [{ data: 'AAAA' }], parameters: { input_fidelity: 'high' } },
    ],
  ])('accepts bridge_ext %j', (bridge_ext, expected) => {
    expect(translated(generationOf({ bridge_ext })).request).toMatchObject(expected);
  });

  it('accepts a filename prefix for images that are delivered by URL', () => {
    const sent = { response_format: 'url', bridge_ext: { filename_prefix: 'fox' } };

    expect(translated(generationOf(sent)).request.output.filename_prefix).toBe('fox');
  });

  it.each([
    ['standard', 'medium'],
    ['hd', 'high'],
  ])('converts the quality %s to %s, and records that', (quality, meant) => {
    const { request, aliases } = translated(generationOf({ quality }));

    expect(request.parameters.quality).toBe(meant);
    expect(aliases).toEqual([
      { field: 'quality', requested: quality, effective: meant, reason: 'compatibility_alias' },
    ]);
  });

  it.each([
    ['far/shared', 'far', 'shared'],
    ['dall-e-3', 'far', 'shared'],
    ['dall-e-2', null, 'small'],
    ['unknown-model', null, 'unknown-model'],
    ['unknown/shared', null, 'unknown/shared'],
  ])('routes the model %s to the provider %s', (model, provider, name) => {
    expect(translated(generationOf({ model })).request.routing).toMatchObject({
      provider,
      model: name,
    });
  });

  it.each([
    [{ user: 'u', safety_identifier: 's' }, 's'],
    [{ user: 'u', safety_identifier: '' }, 'u'],
    [{ safety_identifier: '' }, null],
    [{ safety_identifier: 's' }, 's'],
  ])('identifies the user of %j', (sent, user) => {
    expect(translated(generationOf(sent)).request.user).toBe(user);
  });

  it('requests bytes for a stream, whatever the response format', () => {
    const { request } = translated(generationOf({ stream: true, response_format: 'url' }));

    expect(request.output.response_format).toBe('b64_json');
  });

  it('ignores unsupported and unknown fields, and lists them', () => {
    const { ignored } = translated(generationOf({ style: 'vivid', frame_count: 2, seed: 5 }));

    expect(ignored).toEqual(['style', 'frame_count', 'seed']);
  });

  it('converts the images of a JSON edit to data URLs', () => {
    const { request } = translated(editOf({ mask: { image_url: 'data:,m' } }));

    expect(request).toMatchObject({
      operation: 'edit',
      images: [{ type: 'data_url', data_url: 'data:image/png;base64,AAAA' }],
      mask: { type: 'data_url', data_url: 'data:,m' },
    });
  });

  it('converts the files of a form in their order, followed by the references of bridge_ext', () => {
    const bridge_ext = JSON.stringify({ reference_images: [{ type: 'base64', data: 'AAAA' }] });
    const [first, second, mask, reference] = ['1', '2', 'm', 'r'].map((it) => Buffer.from(it));
    const files = { image: [first, second], mask: [mask], reference_image: [reference] };

    const { request } = translated(formOf({ bridge_ext }, files as object));

    expect(request).toMatchObject({
      images: [
        { type: 'file', bytes: first },
        { type: 'file', bytes: second },
      ],
      mask: { type: 'file', bytes: mask },
      reference_images: [{ type: 'file', bytes: reference }, { type: 'base64' }],
    });
  });

  it('converts the text fields of a form', () => {
    const fields = {
      n: '2',
      stream: 'true',
      provider: 'far',
      negative_prompt: 'text',
      compatibility: 'best_effort',
      revised_prompt: 'omit',
      session_key: 'k',
      input_fidelity: 'high',
    };

    expect(translated(formOf(fields)).request).toMatchObject({
      parameters: { n: 2, input_fidelity: 'high' },
      negative_prompt: 'text',
      routing: { provider: 'far' },
      policies: { compatibility: 'best_effort', revised_prompt: 'omit' },
      session: { mode: 'persistent', key: 'k' },
    });
  });

  it.each<[object, string[]]>([
    [{ size: '64x64', bridge_ext: { aspect_ratio: '1:1' } }, ['bridge_ext.aspect_ratio']],
    [{ output_compression: 5 }, ['output_compression']],
    [{ bridge_ext: { filename_prefix: 'fox' } }, ['bridge_ext.filename_prefix']],
    [{ bridge_ext: { action: 'edit' } }, ['bridge_ext.action']],
    [{ input_fidelity: 'high' }, ['input_fidelity']],
    [{ bridge_ext: { input_fidelity: 'high' } }, ['bridge_ext.input_fidelity']],
    [{ bridge_ext: { session: { mode: 'persistent' } } }, ['bridge_ext.session.key']],
    [
      { model: 'far/large', bridge_ext: { fallbacks: [{ provider: 'far', model: 'large' }] } },
      ['bridge_ext.fallbacks'],
    ],
    [{ model: 'far/large', bridge_ext: { provider: 'near' } }, ['bridge_ext.provider']],
    [
      { output_compression: 5, size: '64x64', bridge_ext: { resolution: '1k' } },
      ['bridge_ext.resolution', 'output_compression'],
    ],
  ])('reports %j at the caller’s own fields', (sent, fields) => {
    expect(issuesOf(generationOf(sent))).toEqual(
      fields.map((field) => `${field}: invalid_combination`),
    );
  });

  it.each<[string, object, object, string]>([
    ['no image', {}, { image: [] }, 'image'],
    ['too many in all', {}, { reference_image: Array(5).fill(Buffer.from('r')) }, 'image'],
    [
      'two providers',
      { provider: 'near', bridge_ext: '{"provider":"far"}' },
      {},
      'bridge_ext.provider',
    ],
    [
      'two sessions',
      { session_key: 'k', bridge_ext: '{"session":{"mode":"persistent","key":"l"}}' },
      {},
      'bridge_ext.session.key',
    ],
  ])('reports a form with %s at its own fields', (_, fields, files, field) => {
    expect(issuesOf(formOf(fields, files))).toEqual([`${field}: invalid_combination`]);
  });

  it('accepts equal values under two names', () => {
    const bridge_ext = JSON.stringify({ session: { mode: 'persistent', key: 'k' } });

    expect(translated(formOf({ session_key: 'k', bridge_ext })).request.session).toEqual({
      mode: 'persistent',
      key: 'k',
    });
  });

  it('refuses under strict the fields that it would ignore, together with all other issues', () => {
    const bridge_ext = { compatibility: 'strict' };
    const sent = { style: 'vivid', 'a b': 1, output_compression: 5, bridge_ext };

    expect(issuesOf(generationOf(sent))).toEqual([
      '["a b"]: unsupported_field',
      'output_compression: invalid_combination',
      'style: unsupported_field',
    ]);
  });
});

describe('nameOf', () => {
  it.each<[string, string]>([
    ['parameters.n', 'n'],
    ['parameters.aspect_ratio', 'bridge_ext.aspect_ratio'],
    ['routing.model', 'model'],
    ['routing.provider', 'bridge_ext.provider'],
    ['routing.fallbacks[1].provider', 'bridge_ext.fallbacks[1].provider'],
    ['policies.negative_prompt', 'bridge_ext.negative_prompt_mode'],
    ['reference_images[0].data', 'bridge_ext.reference_images[0].data'],
    ['mask', 'mask'],
    ['not_ours', 'not_ours'],
  ])('renames %s to %s in a generation', (ours, theirs) => {
    expect(translated(generationOf()).nameOf(ours)).toBe(theirs);
  });

  it('prefers the name that the caller has used', () => {
    const named = translated(generationOf({ model: 'far/shared', safety_identifier: 's' }));
    const unnamed = translated(generationOf());

    expect(named.nameOf('routing.provider')).toBe('model');
    expect(named.nameOf('user')).toBe('safety_identifier');
    expect(unnamed.nameOf('user')).toBe('user');
  });

  it.each<[string, string]>([
    ['images[0]', 'images[0]'],
    ['images[0].data_url', 'images[0].image_url'],
    ['mask.data_url', 'mask.image_url'],
    ['negative_prompt', 'negative_prompt'],
  ])('renames %s to %s in a JSON edit', (ours, theirs) => {
    expect(translated(editOf()).nameOf(ours)).toBe(theirs);
  });

  it.each<[string, string]>([
    ['images', 'image'],
    ['images[1]', 'image[1]'],
    ['mask', 'mask'],
    ['reference_images', 'reference_image'],
    ['reference_images[0]', 'reference_image[0]'],
    ['reference_images[1].data', 'bridge_ext.reference_images[0].data'],
    ['session.key', 'session_key'],
    ['session.mode', 'session_key'],
  ])('renames %s to %s in a form', (ours, theirs) => {
    const bridge_ext = JSON.stringify({ reference_images: [{ type: 'base64', data: 'AAAA' }] });
    const files = { reference_image: [Buffer.from('r')] };

    const { nameOf } = translated(formOf({ session_key: 'k', bridge_ext }, files));

    expect(nameOf(ours)).toBe(theirs);
  });
});
