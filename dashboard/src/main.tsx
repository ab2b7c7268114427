import { render } from 'preact';
import { App } from './app.tsx';
import { createPage } from './page.ts';
import { PageContext } from './page-context.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
root.replaceChildren();
render(
  <PageContext.Provider value={createPage()}>
    <App />
  </PageContext.Provider>,
  root,
);
