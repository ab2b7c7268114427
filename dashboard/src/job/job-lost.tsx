import { ArrowLeft, SearchX, Unplug } from 'lucide';
import type { ApiError } from '../api/api-error.ts';
import { Button } from '../controls/button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { Blank } from '../gallery/states/blank.tsx';
import { usePage } from '../page-context.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import './job-lost.css';

interface Props {
  /** Why it cannot be shown; `undefined` where the address names no job at all. */
  readonly error: ApiError | undefined;
  readonly onRetry: () => void;
}

/** In the place of a job that is not there, or cannot be read for now. */
export function JobLost({ error, onRetry }: Props) {
  const { router } = usePage();
  useShortcuts({ Escape: () => void router.back() });
  const isRemoved = error === undefined || error.status === 404;
  const words = isRemoved
    ? { title: text('failure.not_found.title'), text: text('failure.not_found.text') }
    : toFailureText(error, Date.now());
  return (
    <div class="job-lost">
      <header>
        <IconButton icon={ArrowLeft} label={text('job.back')} onClick={() => void router.back()} />
        <h1 class="cut">{text('job.title')}</h1>
      </header>
      <main>
        <Blank icon={isRemoved ? SearchX : Unplug} title={words.title} detail={words.text}>
          <Button onClick={isRemoved ? () => router.navigate('') : onRetry}>
            {text(isRemoved ? 'app.toImages' : 'action.retry')}
          </Button>
        </Blank>
      </main>
    </div>
  );
}
