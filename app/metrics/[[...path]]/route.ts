export { DELETE, GET, OPTIONS, PATCH, POST, PUT } from '../../api/[...path]/route.ts';
