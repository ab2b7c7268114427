import type { JobSummary } from '../../api/schemas.ts';
import { usePage } from '../../page-context.ts';
import { ROOT } from '../../router.ts';
import { useGallery } from '../state/use-gallery.ts';
import { cardName } from './card-text.ts';

interface Props {
  readonly job: JobSummary;
  readonly isCursor: boolean;
}

/**
 * The whole card as a link to its job: a new tab, the browser's menu and Enter work as with every link. While cards are
 * being chosen, a press chooses.
 */
export function CardLink({ job, isCursor }: Props) {
  const { router } = usePage();
  const { state } = useGallery();
  const path = `/jobs/${job.id}`;

  function onClick(event: MouseEvent): void {
    const { selection, arrivals, cursor } = state;
    if (event.shiftKey) {
      event.preventDefault();
      selection.extend(arrivals.shown.peek(), cursor.peek(), job.id);
      cursor.value = job.id;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    cursor.value = job.id;
    // A press by the Enter key has no clicks: it opens.
    if (selection.active.peek() && event.detail > 0) selection.toggle(job.id);
    else router.navigate(path);
  }

  return (
    <a
      class="card-link"
      href={ROOT + path}
      tabIndex={isCursor ? 0 : -1}
      draggable={false}
      onClick={onClick}
      onMouseDown={(event) => {
        // A range begins at the card that has the focus, which therefore stays where it is; and no text is marked.
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <span class="sr">{cardName(job)}</span>
    </a>
  );
}
