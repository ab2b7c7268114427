import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import './show-pills.css';

const PILLS = [
  { name: 'all', query: {} },
  { name: 'favourites', query: { show: 'favourites' } },
  { name: 'failed', query: { status: 'failed' } },
  { name: 'hidden', query: { show: 'hidden' } },
] as const;

/** The parts of the history that are asked for most. They leave the words and the provider as they are. */
export function ShowPills() {
  const { router } = usePage();
  const { state } = useGallery();
  const { show, status } = state.filter.value;
  const chosen = show === 'all' ? (status === 'failed' ? 'failed' : 'all') : show;
  return (
    <div class="show-pills" role="group" aria-label={text('gallery.show')}>
      {PILLS.map(({ name, query }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => router.setQuery({ show: undefined, status: undefined, ...query })}
        >
          {text(`gallery.show.${name}`)}
        </button>
      ))}
    </div>
  );
}
