import type { MaskedSource } from '../../images/image.ts';
import type { GenerationEvent } from './generation-event.ts';

/**
 * Passes events on, but of each output at most `asked` partial images: a provider may send more than it was asked for.
 * `masked` goes along with each.
 */
export function limitPartials(
  asked: number,
  onEvent: (event: GenerationEvent) => void,
  masked?: MaskedSource,
): (event: GenerationEvent) => void {
  const passed = new Map<number, number>();
  return (event) => {
    if (event.type === 'progress') {
      onEvent(event);
      return;
    }
    const before = passed.get(event.index) ?? 0;
    if (before >= asked) return;
    passed.set(event.index, before + 1);
    onEvent(masked ? { ...event, masked } : event);
  };
}
