import config from './playwright.config.ts';
const { globalSetup: _gone, ...rest } = config;
export default { ...rest, testMatch: 'd-away.test.ts', reporter: 'line' };
