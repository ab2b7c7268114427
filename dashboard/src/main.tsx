import { render } from 'preact';
import { App } from './app.tsx';
import { createPage, type Page } from './page.ts';
import { PageContext } from './page-context.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');

// Its first requests are on their way while the shapes of index.html are painted; rendering takes longer than a frame.
const page = createPage();
requestAnimationFrame(() => setTimeout(show, 0, root, page));

/** Replaces the shapes by the page. */
function show(root: HTMLElement, page: Page): void {
  root.replaceChildren();
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    root,
  );
}
