import { Copy } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { IconButton } from '../../controls/button.tsx';
import { type TextKey, text } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';
import { useLook } from '../state/look-context.ts';
import { toPromptParts } from './prompt-changes.ts';

/** Shows the prompt as sent, and the revision by the model for the image in view. */
export function PromptSection({ job }: { readonly job: Job }) {
  const { looking } = useLook();
  const { prompt, negative_prompt: avoid } = job.request;
  const shown = job.result?.data.find(({ index }) => String(index + 1) === looking.b?.ref);
  const revised = shown?.revised_prompt ?? job.result?.revised_prompt;
  return (
    <section class="prompt-section">
      <h2>
        {text('make.prompt')}
        <CopyButton what="job.copy.prompt" content={prompt} />
      </h2>
      <Prose>{prompt}</Prose>
      {avoid !== null && avoid !== '' && (
        <>
          <h2>{text('make.avoid')}</h2>
          <Prose>{avoid}</Prose>
        </>
      )}
      {revised !== undefined && revised !== prompt && (
        <>
          <h2>
            {text('job.revised')}
            <CopyButton what="job.copy.revised" content={revised} />
          </h2>
          <p class="prose soft" dir="auto">
            {toPromptParts(prompt, revised).map(({ text: part, isAdded }, index) =>
              // The parts of a text never change their order.
              isAdded ? <ins key={index}>{part}</ins> : part,
            )}
          </p>
        </>
      )}
    </section>
  );
}

/** Cuts off a long text, until it is expanded, so that the sections below stay visible. */
function Prose({ children }: { readonly children: string }) {
  if (children.length <= 600) {
    return (
      <p class="prose" dir="auto">
        {children}
      </p>
    );
  }
  return (
    <details class="long">
      <summary>
        <span class="prose" dir="auto">
          {children}
        </span>
        <span class="more">{text('job.more')}</span>
      </summary>
    </details>
  );
}

interface CopyButtonProps {
  /** The name of the content, for example "Prompt". */
  readonly what: TextKey;
  readonly content: string;
}

/** Renders the button that copies a text and confirms it. */
function CopyButton({ what, content }: CopyButtonProps) {
  const { copy } = useJobActions();
  return (
    <IconButton
      small
      icon={Copy}
      label={text('job.copyWhat', { what: text(what) })}
      onClick={() => copy(content, what)}
    />
  );
}
