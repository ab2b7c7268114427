import {
  autoUpdate,
  computePosition,
  flip,
  offset,
  type Placement,
  shift,
  size,
} from '@floating-ui/dom';

/**
 * Keeps a box beside its button and inside the window until the returned function is called. Calls `onPlaced` when the box
 * has its first position and height.
 */
export function follow(
  button: HTMLElement,
  box: HTMLElement,
  placement: Placement,
  onPlaced: () => void,
): () => void {
  let isPlaced = false;
  return autoUpdate(button, box, async () => {
    await place(button, box, placement);
    if (!isPlaced) onPlaced();
    isPlaced = true;
  });
}

async function place(button: HTMLElement, box: HTMLElement, placement: Placement): Promise<void> {
  const { x, y } = await computePosition(button, box, {
    placement,
    strategy: 'fixed',
    middleware: [
      offset(4),
      flip({ padding: 8, fallbackAxisSideDirection: 'end' }),
      shift({ padding: 8 }),
      size({
        padding: 8,
        apply: ({ availableHeight }) => {
          box.style.maxBlockSize = `${Math.max(120, availableHeight)}px`;
        },
      }),
    ],
  });
  // The position is measured from the left, whatever the direction of the text.
  box.style.left = `${x}px`;
  box.style.top = `${y}px`;
}
