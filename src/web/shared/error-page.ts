export {};
document.title = "x";
