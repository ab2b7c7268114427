import { Gallery } from './gallery/gallery.tsx';
import { Dock } from './make/dock.tsx';
import { MakePanel } from './make/make-panel.tsx';
import { usePage } from './page-context.ts';
import { useShortcuts } from './shell/shortcuts.ts';
import './images-view.css';

/** The home of the page: making at the side, what was made beside it. Folded, making is the dock alone. */
export function ImagesView() {
  const { panel } = usePage();
  // A bracket is a modifier in the notation of tinykeys; a group is a regular expression.
  useShortcuts({ '(\\[)': panel.toggle });
  return (
    <div class="images-view" data-folded={panel.folded.value}>
      <MakePanel />
      <Gallery />
      <Dock />
    </div>
  );
}
