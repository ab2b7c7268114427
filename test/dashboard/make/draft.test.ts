import { describe, expect, it } from 'vitest';
import { type Attachment, createDraft, NO_EDGE } from '../../../dashboard/src/make/draft.ts';

const image = (key: string, role: Attachment['role'] = 'source'): Attachment => ({
  key,
  name: `${key}.png`,
  role,
  format: 'png',
  width: 4,
  height: 3,
  bytes: 100,
  content: { artifactId: key },
});
const MASK = new Blob(['mask']);

function masked(...attachments: readonly Attachment[]) {
  const draft = createDraft();
  draft.attach(...attachments);
  draft.setMask(MASK);
  return draft;
}

describe('the settings of a draft', () => {
  it('contain only values that differ from the defaults', () => {
    const draft = createDraft();

    draft.set('parameters', { n: 3, size: '1024x1024' });
    draft.set('parameters', { n: undefined });
    expect(draft.settings.value).toEqual({ parameters: { size: '1024x1024' } });
    draft.set('parameters', { size: undefined });

    expect(draft.settings.value).toEqual({});
  });

  it('are restored as they were remembered', () => {
    const draft = masked(image('a'));
    draft.change({ prompt: 'a moon' });
    const restore = draft.snapshot();

    draft.clear();
    expect(draft.content()).toEqual({
      settings: {},
      attachments: [],
      mask: undefined,
      maskEdge: NO_EDGE,
      labels: [],
    });
    restore();

    expect(draft.content()).toEqual({
      settings: { prompt: 'a moon' },
      attachments: [image('a')],
      labels: [],
      mask: MASK,
      maskEdge: NO_EDGE,
    });
  });
});

describe('the mask of a draft', () => {
  it('keeps its edge when its source is removed and restored', () => {
    const draft = masked(image('a'));
    draft.setMaskEdge({ feather: 8, grow: -2 });

    const restore = draft.removeAttachment('a');
    const without = draft.maskEdge.value;
    restore();

    expect([without, draft.maskEdge.value]).toEqual([NO_EDGE, { feather: 8, grow: -2 }]);
  });

  it('is kept when the canvas of its source changes', () => {
    const draft = masked(image('a'));

    draft.setCanvas('a', { x: -10, y: 0, width: 120, height: 100 });

    expect(draft.mask.value).toBe(MASK);
  });

  it('is part of a settled draft, even if the mask was still being written', async () => {
    const draft = createDraft();
    draft.attach(image('a'));
    const written = Promise.withResolvers<void>();
    draft.announceMask(written.promise);
    const settled = draft.settled().then(() => draft.content().mask);
    draft.setMask(MASK);
    written.resolve();

    expect(await settled).toBe(MASK);
  });

  it('is removed with its source and restored with it', () => {
    const draft = masked(image('a'), image('b'));
    draft.change({ prompt: 'before' });

    const restore = draft.removeAttachment('a');
    expect(draft.mask.value).toBeUndefined();
    draft.change({ prompt: 'after' });
    restore();

    expect(draft.mask.value).toBe(MASK);
    expect(draft.attachments.value.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(draft.settings.value.prompt).toBe('after');
  });

  it('is removed when its source becomes a reference', () => {
    const draft = masked(image('a'), image('b'));

    draft.setRole('a', 'reference');

    expect(draft.mask.value).toBeUndefined();
  });

  it('is removed when another image becomes the first source', () => {
    const draft = masked(image('a', 'reference'), image('b'));

    draft.setRole('a', 'source');

    expect(draft.mask.value).toBeUndefined();
  });

  it('stays when other images are added or removed or change their role', () => {
    const draft = masked(image('a'), image('b'), image('c', 'reference'));

    draft.attach(image('d'));
    draft.removeAttachment('b');
    draft.setRole('c', 'source');

    expect(draft.mask.value).toBe(MASK);
  });
});

describe('an image removed from a draft', () => {
  const keys = ({ attachments }: ReturnType<typeof createDraft>) =>
    attachments.value.map(({ key }) => key);

  it('is restored at its former place, and images added since are kept', () => {
    const draft = masked(image('a'), image('b'));

    const restore = draft.removeAttachment('b');
    draft.attach(image('c'));
    draft.removeAttachment('a');
    restore();

    expect(keys(draft)).toEqual(['c', 'b']);
    expect(draft.mask.value).toBeUndefined();
  });

  it('is not restored if the draft contains it again', () => {
    const draft = createDraft();
    draft.attach(image('a'));

    const restore = draft.removeAttachment('a');
    draft.attach(image('a'));
    restore();

    expect(keys(draft)).toEqual(['a']);
  });
});

describe('editing an image of the bridge', () => {
  it('attaches the image once, as a source', () => {
    const draft = createDraft();
    const artifact = { id: 'x', width: 8, height: 6, format: 'webp', bytes: 9 } as const;

    draft.attachArtifact(artifact, 'moon.webp', 'source');
    draft.attachArtifact(artifact, 'moon.webp', 'source');

    expect(draft.attachments.value).toMatchObject([
      { role: 'source', name: 'moon.webp', width: 8, content: { artifactId: 'x' } },
    ]);
  });

  it('changes the role of an image that is attached already', () => {
    const draft = createDraft();
    const artifact = { id: 'x', width: 8, height: 6, format: 'webp', bytes: 9 } as const;

    draft.attachArtifact(artifact, 'moon.webp', 'reference');
    draft.attachArtifact(artifact, 'moon.webp', 'source');

    expect(draft.attachments.value.map(({ role }) => role)).toEqual(['source']);
  });
});
