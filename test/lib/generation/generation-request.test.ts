import { describe, expect, it } from 'vitest';
import { inlineBytes, requestOf } from './requests.ts';

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

  it('keeps the images as they are', () => {
    const { inputs } = requestOf({ operation: 'edit', images: [inlineBytes(1)] });

    expect(inputs.images).toMatchObject([{ kind: 'inline', field: 'images[0]' }]);
  });

  it('takes the timeout of the request', () => {
    expect(requestOf({ timeout_ms: 1234 }).timeoutMs).toBe(1234);
  });
});
