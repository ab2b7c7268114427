import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEdit } from '../../../dashboard/src/canvas/edit.ts';
import { keepEdit } from '../../../dashboard/src/canvas/keep-edit.ts';
import { createDraft } from '../../../dashboard/src/make/draft.ts';

const SIZE = { width: 40, height: 30 };
const SECOND = 1000;
const point = (x: number) => ({ x, y: 15, pressure: 1 });

/** The number of masks that a worker has encoded. */
let written = 0;

/** A worker that encodes a mask. */
class MaskWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | undefined;
  postMessage(): void {
    written += 1;
    this.onmessage?.({ data: { kind: 'written', mask: new Blob(['mask']) } });
  }
  terminate(): void {}
}

function kept() {
  const draft = createDraft();
  const image = { id: 'a', format: 'png' as const, ...SIZE, bytes: 100 };
  draft.attachArtifact(image, 'a.png', 'source');
  const edit = createEdit({ source: SIZE, size: SIZE });
  return { draft, edit, ...keepEdit(edit, 'a', draft, () => {}) };
}

beforeEach(() => {
  written = 0;
  vi.useFakeTimers();
  vi.stubGlobal('Worker', MaskWorker);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('keepEdit', () => {
  it('stores the mask after a pause, but not while a stroke is being painted', async () => {
    const { draft, edit } = kept();

    edit.strokes.begin(point(10));
    await vi.advanceTimersByTimeAsync(SECOND);
    edit.strokes.extend(point(20));
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(written).toBe(0);
    edit.strokes.end(point(20));
    await vi.advanceTimersByTimeAsync(SECOND);

    expect(written).toBe(1);
    expect(draft.mask.value).toBeDefined();
  });

  it('stores a stroke that is being painted if the edit is closed', async () => {
    const { draft, edit, close } = kept();

    edit.strokes.begin(point(10));
    close();
    await vi.advanceTimersByTimeAsync(SECOND);

    expect(draft.mask.value).toBeDefined();
  });
});
