import { describe, expect, it } from 'vitest';
import { createDraft } from '../../../../dashboard/src/make/draft.ts';
import { changeImages } from '../../../../dashboard/src/make/images/attachments.ts';

const artifact = (id: string) => ({ id, format: 'png' as const, width: 4, height: 3, bytes: 100 });

/** Returns a draft whose source has a mask with an edge and a canvas, and the list of the offers to undo. */
function edited() {
  const draft = createDraft();
  draft.attachArtifact(artifact('a'), 'a.png', 'source');
  draft.setMask(new Blob(['mask']));
  draft.setMaskEdge({ feather: 12, grow: 3 });
  draft.setCanvas('a', { x: -2, y: 0, width: 8, height: 3 });
  const offers: { readonly done: string; readonly revert: () => void }[] = [];
  const undo = {
    undo() {},
    clear() {},
    offer: (done: string, revert: () => void) => void offers.push({ done, revert }),
  };
  return { draft, undo, offers };
}

describe('changeImages', () => {
  it('offers to restore the mask, its edge and the canvas of a source that becomes a reference', () => {
    const { draft, undo, offers } = edited();
    const before = draft.content();

    changeImages({ draft, undo }, () => draft.setRole('a', 'reference'));
    expect(offers.map(({ done }) => done)).toEqual(['Mask removed']);
    offers[0]?.revert();

    expect(draft.content()).toEqual(before);
  });

  it('offers to restore a source that another image replaces', () => {
    const { draft, undo, offers } = edited();
    const before = draft.content();

    changeImages({ draft, undo }, () => draft.editArtifact(artifact('b'), 'b.png'));
    expect(offers.map(({ done }) => done)).toEqual(['a.png removed']);
    offers[0]?.revert();

    expect(draft.content()).toEqual(before);
  });

  it('offers nothing if no mask and no image is removed', () => {
    const { draft, undo, offers } = edited();

    changeImages({ draft, undo }, () => draft.attachArtifact(artifact('b'), 'b.png', 'reference'));

    expect(offers).toEqual([]);
  });
});
