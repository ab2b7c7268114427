import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { JobArtifact, PresetTemplate } from '../api/schemas.ts';
import type { CanvasArea } from '../canvas/canvas-area.ts';
import type { MaskEdge } from '../canvas/mask-edge.ts';

/** An image that is sent with the request. */
export interface Attachment extends Omit<JobArtifact, 'id'> {
  readonly key: string;
  readonly name: string;
  /** `source`: the request edits this image. `reference`: the image is an example for the model. */
  readonly role: 'source' | 'reference';
  /** A local file, or an image that the bridge has made. */
  readonly content: Blob | { readonly artifactId: string };
  /** The job that made the image. Absent for a local file, and in a draft of an earlier version. */
  readonly jobId?: string | undefined;
  /** The rectangle to which the bridge crops or extends the image. Only the first source has a canvas. */
  readonly canvas?: CanvasArea | undefined;
}

/** An image of the bridge, and the job that made the image. */
type DraftArtifact = JobArtifact & Pick<Attachment, 'jobId'>;

export interface DraftContent {
  readonly settings: PresetTemplate;
  readonly attachments: readonly Attachment[];
  readonly mask: Blob | undefined;
  readonly maskEdge: MaskEdge;
  /** The labels that the job gets. */
  readonly labels: readonly string[];
}

/** The edge of a mask that is used as it was painted. */
export const NO_EDGE: MaskEdge = { feather: 0, grow: 0 };

const EMPTY: DraftContent = {
  settings: {},
  attachments: [],
  mask: undefined,
  maskEdge: NO_EDGE,
  labels: [],
};

/** The names of the settings that are objects. */
export type SettingsGroup = 'parameters' | 'output' | 'routing' | 'session' | 'policies';
type Group<G extends SettingsGroup> = {
  [K in keyof NonNullable<PresetTemplate[G]>]: NonNullable<PresetTemplate[G]>[K] | undefined;
};

export type Draft = ReturnType<typeof createDraft>;

/** Creates the draft of the next request, in the shape of a preset's template. Absent settings have default values. */
export function createDraft() {
  const settings = signal<PresetTemplate>({});
  const attachments = signal<readonly Attachment[]>([]);
  /** An image of the same size as the first source. The mask is transparent where the source may change. */
  const mask = signal<Blob | undefined>(undefined);
  /** The edge that the mask gets when the draft is sent. */
  const maskEdge = signal<MaskEdge>(NO_EDGE);
  const labels = signal<readonly string[]>([]);

  /** Replaces the attachments. Removes the mask if the first source changes, because the mask fits only that image. */
  function setAttachments(next: readonly Attachment[]): void {
    batch(() => {
      if (firstSource(next)?.key !== firstSource(attachments.peek())?.key) {
        mask.value = undefined;
        maskEdge.value = NO_EDGE;
      }
      attachments.value = next;
    });
  }

  function attach(...added: readonly Attachment[]): void {
    setAttachments([...attachments.peek(), ...added]);
  }

  function content(): DraftContent {
    return {
      settings: settings.peek(),
      attachments: attachments.peek(),
      mask: mask.peek(),
      maskEdge: maskEdge.peek(),
      labels: labels.peek(),
    };
  }

  function restore(kept: DraftContent): void {
    batch(() => {
      settings.value = kept.settings;
      attachments.value = kept.attachments;
      mask.value = kept.mask;
      maskEdge.value = kept.maskEdge;
      labels.value = kept.labels;
    });
  }

  return {
    settings: settings as ReadonlySignal<PresetTemplate>,
    attachments: attachments as ReadonlySignal<readonly Attachment[]>,
    mask: mask as ReadonlySignal<Blob | undefined>,
    maskEdge: maskEdge as ReadonlySignal<MaskEdge>,
    /** The labels that the job gets, in their order. */
    labels,

    /** Replaces all settings. Used for a preset, a repeated job or a restored draft. */
    apply(template: PresetTemplate): void {
      settings.value = template;
    },
    /** Changes some settings. */
    change(changes: PresetTemplate): void {
      settings.value = { ...settings.peek(), ...changes };
    },
    /** Changes members of one group. `undefined` resets a member to its default. */
    set<G extends SettingsGroup>(group: G, changes: Partial<Group<G>>): void {
      const next = defined({ ...(settings.peek()[group] ?? {}), ...changes });
      const { [group]: _, ...rest } = settings.peek();
      settings.value = Object.keys(next).length === 0 ? rest : { ...rest, [group]: next };
    },

    attach,
    ...createSourceActions({ attachments, mask, maskEdge, setAttachments }),
    clear: () => restore(EMPTY),
    restore,
    content,
    ...createMaskWait(),
    /** Remembers the current draft. The returned function restores the remembered draft. */
    snapshot(): () => void {
      const kept = content();
      return () => restore(kept);
    },
  };
}

/** Creates the wait for a mask that is still being written when the user sends the draft. */
function createMaskWait() {
  let writing: Promise<void> = Promise.resolve();
  return {
    /** Announces a mask that is being written. The promise never rejects. */
    announceMask(written: Promise<void>): void {
      writing = written;
    },
    /** Resolves when the announced mask is a part of the draft. */
    settled: (): Promise<void> => writing,
  };
}

interface SourceDeps {
  readonly attachments: ReadonlySignal<readonly Attachment[]>;
  readonly mask: Signal<Blob | undefined>;
  readonly maskEdge: Signal<MaskEdge>;
  readonly setAttachments: (next: readonly Attachment[]) => void;
}

/** Creates the actions that choose the images of the draft and say which part of the first source may change. */
function createSourceActions({ attachments, mask, maskEdge, setAttachments }: SourceDeps) {
  return {
    /** Removes an image. The returned function restores the image and its mask. */
    removeAttachment(key: string): () => void {
      const before = attachments.peek();
      const ownMask = firstSource(before)?.key === key ? mask.peek() : undefined;
      const ownEdge = maskEdge.peek();
      setAttachments(before.filter((each) => each.key !== key));
      return () =>
        batch(() => {
          setAttachments(withAgain(attachments.peek(), before, key));
          if (firstSource(attachments.peek())?.key !== key || ownMask === undefined) return;
          if (mask.peek() !== undefined) return;
          mask.value = ownMask;
          maskEdge.value = ownEdge;
        });
    },
    setRole: (key: string, role: Attachment['role']): void =>
      setAttachments(changed(attachments.peek(), key, { role })),

    /** Crops or extends the first source. The mask keeps the size of the whole image. */
    setCanvas(key: string, canvas: CanvasArea | undefined): void {
      setAttachments(changed(attachments.peek(), key, { canvas }));
    },
    setMaskEdge(next: MaskEdge): void {
      maskEdge.value = next;
    },
    setMask(next: Blob | undefined): void {
      mask.value = next;
    },

    /** Attaches an image that the bridge has made. An image that is attached already gets the role. The prompt stays unchanged. */
    attachArtifact(artifact: DraftArtifact, name: string, role: Attachment['role']): void {
      const attached = attachments.peek().find((each) => isArtifact(each, artifact.id));
      if (attached === undefined) {
        setAttachments([...attachments.peek(), toAttachment(artifact, name, role)]);
      } else if (attached.role !== role) {
        setAttachments(changed(attachments.peek(), attached.key, { role }));
      }
    },

    /** Makes an image of the bridge the only source. Its mask and its canvas are kept if the image is the source already. */
    editArtifact(artifact: DraftArtifact, name: string): void {
      const before = attachments.peek();
      const first = firstSource(before);
      const isSource = first !== undefined && isArtifact(first, artifact.id);
      setAttachments([
        isSource ? first : toAttachment(artifact, name, 'source'),
        ...before.filter((each) => each.role === 'reference' && !isArtifact(each, artifact.id)),
      ]);
    },
  };
}

function toAttachment(
  { id, ...facts }: DraftArtifact,
  name: string,
  role: Attachment['role'],
): Attachment {
  return { key: id, name, role, ...facts, content: { artifactId: id } };
}

/** Returns the image that a request edits. The mask, if there is one, has the size of this image. */
export function firstSource(attachments: readonly Attachment[]): Attachment | undefined {
  return attachments.find(({ role }) => role === 'source');
}

function isArtifact({ content }: Attachment, id: string): boolean {
  return !(content instanceof Blob) && content.artifactId === id;
}

/** Changes the image `key` of the list. */
function changed(
  list: readonly Attachment[],
  key: string,
  changes: Partial<Attachment>,
): readonly Attachment[] {
  return list.map((each) => (each.key === key ? { ...each, ...changes } : each));
}

/** Inserts the image `key` of the list `before` into the list `now` at its former position. */
function withAgain(
  now: readonly Attachment[],
  before: readonly Attachment[],
  key: string,
): readonly Attachment[] {
  const index = before.findIndex((each) => each.key === key);
  const removed = before[index];
  if (removed === undefined || now.some((each) => each.key === key)) return now;
  return now.toSpliced(index, 0, removed);
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

/** Returns a random id of 32 hexadecimal digits. `crypto.randomUUID` needs a page on https or loopback. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
