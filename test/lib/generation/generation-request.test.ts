import { describe, expect, it } from 'vitest';
import { toGenerationRequest } from '../../../lib/generation/generation-request.ts';
import { inlineBytes, requestOf, wireRequestOf } from './requests.ts';

describe('toGenerationRequest', () => {
  it('completes the parameters and remembers that no format was named', () => {
    const request = requestOf();

    expect(request.parameters.output_format).toBe('png');
    expect(request.formatNamed).toBe(false);
    expect(request.timeoutMs).toBeUndefined();
    expect(request.inputs).toEqual({ images: [], references: [] });
  });

  it.each(['png', 'jpeg', 'webp'])('remembers that %s was named', (output_format) => {
    const request = requestOf({ parameters: { output_format } });

    expect(request.parameters.output_format).toBe(output_format);
    expect(request.formatNamed).toBe(true);
  });

  it('names each image by its place in the request', () => {
    const { inputs } = requestOf({
      operation: 'edit',
      images: [inlineBytes(1), inlineBytes(2)],
      mask: inlineBytes(3),
      reference_images: [inlineBytes(4)],
    });

    expect(inputs.images.map(({ field }) => field)).toEqual(['images[0]', 'images[1]']);
    expect(inputs.mask?.field).toBe('mask');
    expect(inputs.references.map(({ field }) => field)).toEqual(['reference_images[0]']);
    expect(inputs.references[0]).toMatchObject({ kind: 'inline', bytes: { length: 4 } });
  });

  it('refuses an image that is too large before it decodes it', () => {
    const wire = wireRequestOf({ operation: 'edit', images: [inlineBytes(100)] });

    expect(() => toGenerationRequest(wire, 90)).toThrow(
      expect.objectContaining({ code: 'input', param: 'images[0]' }),
    );
  });

  it('takes the timeout of the request', () => {
    expect(requestOf({ timeout_ms: 1234 }).timeoutMs).toBe(1234);
  });
});
