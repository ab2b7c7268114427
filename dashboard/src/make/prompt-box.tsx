import { ImagePlus } from 'lucide';
import { useRef } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { text } from '../text/text.ts';
import { AttachmentRow } from './images/attachment-row.tsx';
import { attachFiles } from './images/attachments.ts';
import { useIncomingFiles } from './images/use-incoming-files.ts';
import { bytesOver } from './prompt-length.ts';
import './prompt-box.css';

/** Renders the prompt and its images, which are dropped, pasted or picked. */
export function PromptBox() {
  const page = usePage();
  const { draft } = page;
  const area = useRef<HTMLTextAreaElement>(null);
  const attachments = draft.attachments.value;
  const over = bytesOver(draft.settings.value);
  useShortcuts({
    p: (event) => {
      // Prevents the letter of the shortcut from being typed into the field.
      event.preventDefault();
      area.current?.focus();
    },
  });

  const add = (files: readonly File[]) => attachFiles(page, files);
  const isOver = useIncomingFiles(add);
  return (
    <div class={over > 0 ? 'prompt-box is-bad' : 'prompt-box'}>
      <label class="sr" for="prompt">
        {text('make.prompt')}
      </label>
      <textarea
        id="prompt"
        ref={area}
        rows={4}
        dir="auto"
        placeholder={text('make.prompt.placeholder')}
        value={draft.settings.value.prompt ?? ''}
        aria-invalid={over > 0}
        aria-describedby="prompt-note"
        onInput={(event) => draft.change({ prompt: event.currentTarget.value })}
      />
      {attachments.length > 0 && (
        <ul class="attached">
          {attachments.map((attachment) => (
            <AttachmentRow key={attachment.key} attachment={attachment} />
          ))}
        </ul>
      )}
      <PromptFoot over={over} onFiles={add} />
      {isOver && (
        <div class="drop">
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
    <div class="prompt-foot">
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
