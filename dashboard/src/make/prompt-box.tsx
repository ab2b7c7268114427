import { ImagePlus } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { isHome } from '../router.ts';
import { leaveByEscape, useShortcuts } from '../shell/shortcuts.ts';
import { text } from '../text/text.ts';
import { firstSource } from './draft.ts';
import { AttachmentRow } from './images/attachment-row.tsx';
import { attachFiles } from './images/attachments.ts';
import { openPrompt } from './open-prompt.ts';
import { bytesOver } from './to-request.ts';
import './prompt-box.css';

interface PromptBoxProps {
  readonly placeholder: string;
  /** Shown below the prompt. */
  readonly children?: ComponentChildren;
}

/** Renders the prompt and the input images, which the user can drop, paste or pick. */
export function PromptBox({ placeholder, children }: PromptBoxProps) {
  const page = usePage();
  const { draft, router } = page;
  const attachments = draft.attachments.value;
  const over = bytesOver(draft.settings.value);
  useShortcuts(
    {
      p: (event) => {
        // Prevents the letter of the shortcut from being typed into the field.
        event.preventDefault();
        openPrompt(router);
      },
    },
    isHome(router.route.value),
  );

  const add = (files: readonly File[]) => attachFiles(page, files);
  const isOver = useIncomingFiles(add);
  return (
    <div class={over > 0 ? 'prompt-box stack edged is-bad' : 'prompt-box stack edged'}>
      <label class="sr" for="prompt">
        {text('make.prompt')}
      </label>
      <textarea
        id="prompt"
        rows={4}
        dir="auto"
        placeholder={placeholder}
        value={draft.settings.value.prompt ?? ''}
        aria-invalid={over > 0}
        aria-describedby="prompt-note"
        onInput={(event) => draft.change({ prompt: event.currentTarget.value })}
        onKeyDown={leaveByEscape}
      />
      {children}
      {attachments.length > 0 && (
        <ul class="attached stack">
          {attachments.map((attachment) => (
            <AttachmentRow
              key={attachment.key}
              attachment={attachment}
              isEdited={attachment === firstSource(attachments)}
            />
          ))}
        </ul>
      )}
      <PromptFoot over={over} onFiles={add} />
      {isOver && (
        <div class="drop fill middle">
          <p>
            {text('make.drop')}
            <small>{text('make.drop.formats')}</small>
          </p>
        </div>
      )}
    </div>
  );
}

interface FootProps {
  readonly over: number;
  readonly onFiles: (files: readonly File[]) => void;
}

function PromptFoot({ over, onFiles }: FootProps) {
  const { draft } = usePage();
  const input = useRef<HTMLInputElement>(null);
  const isEdit = draft.attachments.value.some(({ role }) => role === 'source');
  const hint = isEdit ? text('make.sourceMakesEdit') : text('make.orDrop');
  return (
    <div class="prompt-foot row">
      <Button look="quiet" size="small" icon={ImagePlus} onClick={() => input.current?.click()}>
        {text('make.addImages')}
      </Button>
      <input
        ref={input}
        class="sr"
        type="file"
        multiple
        accept="image/png,image/jpeg,image/webp"
        tabIndex={-1}
        aria-label={text('make.addImages')}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <span id="prompt-note" class={over > 0 ? 'note bad' : 'hint note'}>
        {over > 0 ? text('make.tooLong', { count: over }) : hint}
      </span>
    </div>
  );
}

/**
 * Accepts files that are dropped anywhere on the page, or pasted, while no dialog is open. Prevents the browser from
 * leaving the page to open a dropped file. Returns true while files are dragged over the page.
 */
function useIncomingFiles(take: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const current = useRef(take);
  current.current = take;
  useLayoutEffect(() => {
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const isFree = () => document.querySelector('dialog[open]') === null;

    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(isFree());
    };
    window.addEventListener('dragenter', onDrag, options);
    window.addEventListener('dragover', onDrag, options);
    window.addEventListener(
      'dragleave',
      // `relatedTarget` is null only when the pointer leaves the window.
      ({ relatedTarget }) => relatedTarget === null && setOver(false),
      options,
    );
    window.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        if (isFree()) current.current(filesOf(event.dataTransfer));
      },
      options,
    );
    window.addEventListener(
      'paste',
      ({ clipboardData }) => {
        const files = filesOf(clipboardData);
        // If the clipboard contains text, the text is pasted, even if the clipboard also contains an image of the text.
        if (files.length === 0 || clipboardData?.types.includes('text/plain') || !isFree()) return;
        current.current(files);
      },
      options,
    );
    return () => controller.abort();
  }, []);
  return isOver;
}

function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes('Files') ?? false;
}

function filesOf(transfer: DataTransfer | null): readonly File[] {
  return [...(transfer?.files ?? [])];
}
