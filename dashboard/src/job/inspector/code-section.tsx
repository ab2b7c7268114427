import { useSignal } from '@preact/signals';
import { Copy, Link2 } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { Segmented } from '../../controls/inputs.tsx';
import { usePage } from '../../page-context.ts';
import { ROOT } from '../../router.ts';
import { text } from '../../text/text.ts';
import {
  curlCode,
  javascriptCode,
  LANGUAGES,
  type Language,
  pythonCode,
  TOKEN_VARIABLE,
  toRequestCode,
} from '../code/request-code.ts';
import { baseName, useJobActions } from '../job-actions.ts';
import { useLook } from '../state/look-context.ts';

const WRITERS = { curl: curlCode, javascript: javascriptCode, python: pythonCode } as const;
const OPTIONS = LANGUAGES.map((value) => ({ value, label: text(`job.code.${value}`) }));
/** The last chosen language, which is kept until the page is closed and is also used for the next job. */
let last: Language = 'curl';

/** Shows code that sends the request again, and offers other values of the job to copy. */
export function CodeSection({ job }: { readonly job: Job }) {
  const { connection } = usePage();
  const { copy } = useJobActions();
  const { looking } = useLook();
  const language = useSignal<Language>(last);
  const needsToken = connection.token.value !== undefined;
  const code = WRITERS[language.value](toRequestCode(job, location.origin, needsToken));
  const name = looking.b?.kind === 'output' ? looking.b.name : undefined;
  return (
    <section class="code-section stack">
      <h2>
        {text('job.code')}
        <Segmented
          label={text('job.code.language')}
          options={OPTIONS}
          value={language.value}
          onChange={(next) => {
            last = next;
            language.value = next;
          }}
        />
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only an element that can be focused */}
      <pre class="scroll" tabIndex={0} role="region" aria-label={text('job.code.text')} dir="ltr">
        <code>{code}</code>
      </pre>
      {needsToken && <p class="hint">{text('job.code.token', { name: TOKEN_VARIABLE })}</p>}
      <div class="copies row">
        <Button size="small" icon={Copy} onClick={() => copy(code, 'job.copy.code')}>
          {text('job.copy.code')}
        </Button>
        <Button size="small" icon={Copy} onClick={() => copy(job.id, 'job.copy.id')}>
          {text('job.copy.id')}
        </Button>
        {name !== undefined && (
          <Button size="small" icon={Copy} onClick={() => copy(baseName(name), 'job.copy.name')}>
            {text('job.copy.name')}
          </Button>
        )}
        <Button
          size="small"
          icon={Link2}
          onClick={() => copy(`${location.origin}${ROOT}/jobs/${job.id}`, 'job.copy.link')}
        >
          {text('job.copy.link')}
        </Button>
      </div>
    </section>
  );
}
