import { YardPage } from "./page.js";

new YardPage(document.getElementById("app"));
