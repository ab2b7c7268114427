import { describe, expect, it } from 'vitest';
import type { GenerationEvent } from '../../../../lib/generation/events/generation-event.ts';
import { limitPartials } from '../../../../lib/generation/events/limit-partials.ts';

const partial = (index: number, partialIndex: number): GenerationEvent => ({
  type: 'partial_image',
  index,
  partialIndex,
  bytes: Buffer.alloc(1),
});
const generating: GenerationEvent = { type: 'progress', stage: 'generating', index: 0 };

function passed(asked: number, events: readonly GenerationEvent[]): GenerationEvent[] {
  const passed: GenerationEvent[] = [];
  const onEvent = limitPartials(asked, (event) => passed.push(event));
  for (const event of events) onEvent(event);
  return passed;
}

describe('limitPartials', () => {
  it('passes as many partial images of each output as were asked for', () => {
    const events = [partial(0, 0), partial(1, 0), partial(0, 1), partial(0, 2), partial(1, 1)];

    expect(passed(2, events)).toEqual([
      ...[partial(0, 0), partial(1, 0), partial(0, 1), partial(1, 1)],
    ]);
  });

  it('adds to each what is put back into it, and to nothing else', () => {
    const edges = { width: 1, height: 1 };
    const pixel = { ...edges, bytes: Buffer.alloc(1), format: 'png', orientation: 1 } as const;
    const source = { ...pixel, alpha: 'some', sha256: '' } as const;
    const canvas = { ...edges, area: { left: 0, top: 0, ...edges } };
    const masked = { source, mask: source, canvas };
    const passed: GenerationEvent[] = [];

    const onEvent = limitPartials(1, (event) => passed.push(event), masked);
    onEvent(generating);
    onEvent(partial(0, 0));

    expect(passed).toEqual([generating, { ...partial(0, 0), masked }]);
  });

  it('counts those that come under one number twice', () => {
    expect(passed(1, [partial(0, 0), partial(0, 0)])).toEqual([partial(0, 0)]);
  });

  it('passes none where none was asked for, and every sign of progress', () => {
    expect(passed(0, [generating, partial(0, 0), generating])).toEqual([generating, generating]);
  });
});
