import type { Attachment } from '../make/draft.ts';

export interface MaskEditorProps {
  /** The first source of the draft. */
  readonly source: Attachment;
}
