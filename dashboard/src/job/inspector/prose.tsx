import type { ComponentChildren } from 'preact';
import { text } from '../../text/text.ts';
import './prose.css';

/** The number of characters and of lines up to which a text fits into six lines of the inspector. */
const MAX_CHARACTERS = 300;
const MAX_LINES = 6;

interface ProseProps {
  readonly content: string;
  /** The content with marks. By default, the content is shown without marks. */
  readonly children?: ComponentChildren;
}

/** Shortens a long text until the user expands the text, so that the sections below stay visible. */
export function Prose({ content, children = content }: ProseProps) {
  if (content.length <= MAX_CHARACTERS && content.split('\n').length <= MAX_LINES) {
    return (
      <p class="prose" dir="auto">
        {children}
      </p>
    );
  }
  return (
    <details class="long">
      <summary>
        <span class="prose clamp" dir="auto">
          {children}
        </span>
        <span class="more">{text('action.showAll')}</span>
      </summary>
    </details>
  );
}
