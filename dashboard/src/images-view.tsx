import { Gallery } from './gallery/gallery.tsx';
import { Dock } from './make/dock.tsx';
import { MakePanel } from './make/make-panel.tsx';
import './images-view.css';

/** The home of the page: making at the side, what was made beside it. */
export function ImagesView() {
  return (
    <div class="images-view">
      <MakePanel />
      <Gallery />
      <Dock />
    </div>
  );
}
